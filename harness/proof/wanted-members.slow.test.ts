import { beforeAll, describe, expect, test } from 'vitest'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import { rejudge } from '../conformance/recording/rejudge.ts'
import {
  exchangesIn,
  lineOf,
  requirementsWith,
  sharedEngine,
  temporaryFolder,
} from '../conformance/test-support/check.ts'
import { checkReference, patchNamed } from './test-support/reference.ts'

/** Targets that refuse a request because of a missing field that the document does not list as required. */

const only = ['V3-GEN-*', 'V3-IDEM-*', 'V3-HIST-01', 'V3-CHAT-01', 'VER-02', 'VER-04']

const judged = (
  dialect: string,
  options: { readonly only: readonly string[]; readonly outDir?: string },
  change: (profile: TargetProfile) => TargetProfile = (same) => same,
): Promise<ConformanceReport> =>
  checkReference({ patch: patchNamed(dialect) }, { jobs: 4, ...options }, (own) =>
    change({ ...own, limits: { ...own.limits, settleMs: 300 } }),
  )

describe('a required assistant_id', () => {
  const outDir = temporaryFolder()
  let report: ConformanceReport
  beforeAll(async () => {
    report = await judged('requires-assistant-id', { only, outDir })
  }, 60_000)

  test('is added from the profile and observed', () => {
    expect(
      requirementsWith(report, 'fail', 'warn', 'inconclusive', 'unproven').map(lineOf),
    ).toEqual([])
    const open = report.observations.find(({ id }) => id === 'OPEN-10')
    expect(open?.answer).toContain('POST /api/v3/message/generate without assistant_id: 422')
  })

  test('is detected with at most eight refusals, then sent in all requests', () => {
    const generations = exchangesIn(outDir).filter(({ request }) =>
      request.url.endsWith('/message/generate'),
    )
    const refused = generations.filter(({ response }) => response?.status === 422)
    // Concurrent scenarios each find this out for themselves.
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThanOrEqual(8)
    expect(generations.length).toBeGreaterThan(20)
    const negatives = generations.filter(({ labels }) => labels.role === 'negative')
    const last = Map.groupBy(negatives, ({ labels }) => `${labels.scenario} ${labels.ordinal}`)
    for (const tries of last.values()) {
      expect(tries.at(-1)?.response?.status).not.toBe(422)
    }
  })

  test('is restored from the recording in a rejudge', async () => {
    const again = await rejudge({ dir: outDir, outDir: temporaryFolder(), engine: sharedEngine })
    expect(again.requirements.map(lineOf)).toEqual(report.requirements.map(lineOf))
    expect(again.observations.map(({ answer }) => answer)).toEqual(
      report.observations.map(({ answer }) => answer),
    )
  }, 60_000)
})

test('a negative request is refused for its own reason, even if it is the first', async () => {
  const report = await judged('requires-assistant-id', { only: ['VER-04'] })
  expect(report.requirements.map(lineOf)).toEqual(['VER-04 pass'])
}, 60_000)

test.each([
  ['chat-needs-a-folder', 'V3-CHAT-01', 'createChat'],
  ['guesses-refused', 'V3-ONE-05', 'runs'],
  ['chat-patched-by-title', 'V3-CHAT-10', 'patchChat'],
])(
  '%s: %s is undecided until the profile has requests.%s',
  async (dialect, id, member) => {
    const report = await judged(dialect, { only: [id] }, (own) => ({ ...own, requests: {} }))
    expect(requirementsWith(report, 'fail', 'error').map(lineOf)).toEqual([])
    const requirement = report.requirements.find((one) => one.id === id)
    expect(requirement && lineOf(requirement)).toContain(`set requests.${member}`)
  },
  60_000,
)

test('a guessed change that its answer shows must be shown by the chat', async () => {
  const only = ['V3-CHAT-10']
  const report = await judged('chat-change-only-answered', { only }, (own) => ({
    ...own,
    requests: {},
  }))
  expect(requirementsWith(report, 'fail').map(({ id }) => id)).toEqual(only)
}, 60_000)

test('missing fields are added one after the other', async () => {
  const report = await judged('requires-sampling', { only: ['OAI-*'] })
  expect(requirementsWith(report, 'fail', 'warn').map(lineOf)).toEqual([])
  const open = report.observations.find(({ id }) => id === 'OPEN-38')
  expect(open?.answer).toMatch(/without (max_tokens, temperature|temperature, max_tokens): 400/)
}, 60_000)
