import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { targetFixture } from '../../../fixtures/targets.ts'
import { compose, faults } from '../../../reference-server/deviations/index.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { loadProfile } from '../profile/index.ts'
import { check, lineOf, temporaryFolder } from '../test-support/check.ts'
import { makeFolder, removeFolder } from '../test-support/folders.ts'
import { rejudge } from './rejudge.ts'

const folder = makeFolder()
afterAll(() => removeFolder(folder))
const names = ['stream-without-terminal-event', 'openai-created-in-milliseconds']
const keys = ['sk-first-caller-0123456789', 'sk-second-caller-0123456789']
let original: ConformanceReport

beforeAll(async () => {
  const patch = compose(faults.filter(({ name }) => names.includes(name)).map((one) => one.patch))
  const server = await startReferenceServer({ keys, patch })
  try {
    const [apiKey, otherKey] = keys
    const overrides = { baseUrl: server.url, apiKey, otherKey }
    const profile = loadProfile(targetFixture('reference'), {}, overrides)
    original = await check(profile, { outDir: folder, skip: ['V2-*'] })
  } finally {
    await server.close()
  }
}, 60_000)

describe('a run that is judged again, with its server gone', () => {
  test('has the verdicts, messages and evidence that it had', async () => {
    const outDir = temporaryFolder()
    const again = await rejudge({ dir: folder, outDir })

    expect(original.requirements.filter(({ verdict }) => verdict === 'fail').length).toBe(2)
    expect(again.requirements.map(lineOf)).toEqual(original.requirements.map(lineOf))
    expect(again.observations.map(({ id, answer }) => [id, answer])).toEqual(
      original.observations.map(({ id, answer }) => [id, answer]),
    )
    const evidence = ({ requirements }: ConformanceReport) =>
      requirements
        .filter(({ verdict }) => verdict === 'fail')
        .map(({ id, event, exchanges }) => [id, event, exchanges.toSorted()])
    expect(evidence(again)).toEqual(evidence(original))
    expect(again.cost).toEqual({ ...original.cost, requests: again.cost.requests })
    // Who is there, and what is left, is asked of a target and not of a recording.
    const beside = original.cost.requests - again.cost.requests
    expect(beside).toBeGreaterThan(0)
    expect(beside).toBeLessThan(30)
    expect(again.recording).toEqual({ startedAt: original.startedAt, suite: original.suite })
  }, 60_000)

  test('may be judged a third time from what the second left', async () => {
    const second = temporaryFolder()
    const third = temporaryFolder()
    await rejudge({ dir: folder, outDir: second })
    const again = await rejudge({ dir: second, outDir: third })
    expect(again.requirements.map(lineOf)).toEqual(original.requirements.map(lineOf))
    const lines = (dir: string) =>
      readFileSync(join(dir, 'exchanges.ndjson'), 'utf8').split('\n').toSorted()
    expect(lines(third)).toEqual(lines(second))
  }, 60_000)

  test('leaves open what was never asked', async () => {
    const dir = temporaryFolder()
    const outDir = temporaryFolder()
    const lines = readFileSync(join(folder, 'exchanges.ndjson'), 'utf8').split('\n')
    const kept = lines.filter((line) => !line.includes('/api/openai/models'))
    // The last line is cut as by a crash.
    writeFileSync(join(dir, 'exchanges.ndjson'), kept.join('\n').slice(0, -40))
    writeFileSync(join(dir, 'run.json'), readFileSync(join(folder, 'run.json')))
    const again = await rejudge({ dir, outDir })
    const row = again.requirements.find(({ id }) => id === 'OAI-MODELS-01')
    expect(row && lineOf(row)).toMatchInlineSnapshot(
      `"OAI-MODELS-01 inconclusive: the recording lacks GET /api/openai/models, which this version sends"`,
    )
    expect(again.faults).toEqual([])
    expect(again.totals.error).toBe(0)
  }, 60_000)
})

test('the settings of a run hold no key', () => {
  const text = readFileSync(join(folder, 'run.json'), 'utf8')
  for (const key of keys) expect(text).not.toContain(key.slice(0, -1))
  expect(JSON.parse(text)).toMatchObject({
    kind: 'chatgen-run',
    schemaVersion: 1,
    selection: { profile: 'full', only: [], skip: ['V2-*'] },
    profile: { apiKey: '[api key]', otherKey: '[other key]' },
  })
})

test.each([
  ['a folder without a run', () => temporaryFolder(), /there is no .*run\.json/],
  ['the folder of the evidence itself', () => folder, /overwrite the recording/],
])('%s is refused', async (_, dir, problem) => {
  await expect(rejudge({ dir: dir(), outDir: folder })).rejects.toThrow(problem)
})
