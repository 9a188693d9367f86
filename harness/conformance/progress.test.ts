import { expect, onTestFinished, test } from 'vitest'
import { wholeProfile } from '../proof/test-support/second-server/judged.ts'
import { startSecondServer } from '../proof/test-support/second-server/server.ts'
import type { Progress } from './progress.ts'
import { check, lineOf, requirementsWith } from './test-support/check.ts'

/** Progress that a run prints agrees with its report. */

test('requirements and scenarios are counted as the report counts them', async () => {
  const server = await startSecondServer({
    accepts: (_, [key]) => key,
    // Broken by every response, but counted as one requirement.
    answers: (body) =>
      body['object'] === 'chat.completion'
        ? { ...body, usage: { prompt_tokens: 1, total_tokens: 0 } }
        : body,
  })
  onTestFinished(() => server.close())
  const updates: Progress[] = []
  const report = await check(wholeProfile(server), {
    surfaces: 'openai',
    only: ['OAI-AUTH-*', 'OAI-CHAT-*'],
    onProgress: (progress) => updates.push(progress),
    exploration: {
      slug: 'explore',
      title: 'explore',
      requirements: ['OAI-CHAT-01'],
      cost: { requests: 16, generations: 1, chats: 0, uploads: 0 },
      operations: 4,
      run: async (_, tell) => {
        for (const done of [1, 2, 3]) tell(done)
        return { operations: 4, violations: 0 }
      },
    },
  })
  const last = updates.at(-1)
  const violated = (last?.requirements() ?? []).filter(({ verdict }) => verdict === 'fail')
  expect(violated.map(lineOf)).toEqual(requirementsWith(report, 'fail').map(lineOf))
  expect(violated.length).toBeGreaterThan(1)

  // Scenarios that were not selected do not count.
  const ran = new Set(report.requirements.flatMap(({ scenarios }) => scenarios))
  expect(last).toMatchObject({ done: last?.total, share: 1 })
  expect(last?.total).toBeLessThanOrEqual(ran.size)
  const exploring = updates.flatMap((update) => update.exploring ?? [])
  expect(exploring.map(({ done, of }) => `${done} of ${of}`)).toEqual([
    '0 of 4',
    '1 of 4',
    '2 of 4',
    '3 of 4',
  ])
  const shares = updates.map(({ share }) => share)
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
})
