import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { restoreExchanges } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { wholeProfile } from '../../proof/test-support/second-server/judged.ts'
import { startSecondServer } from '../../proof/test-support/second-server/server.ts'
import { check, lineOf, sharedEngine, temporaryFolder } from '../test-support/check.ts'
import { rejudge } from './rejudge.ts'

const [first, second] = [temporaryFolder(), temporaryFolder()]
let keys: readonly string[]
let live: ConformanceReport
let again: ConformanceReport

beforeAll(async () => {
  // One fault of each kind, so that the rejudge has violations to find again.
  const server = await startSecondServer({
    row: (row) => ({ ...row, item_type: 'item' }),
    refusesBothLists: false,
  })
  keys = server.keys
  // The run waits for effects, the rejudge does not.
  const profile = wholeProfile(server, { limits: { timeoutMs: 15_000, settleMs: 4000 } })
  try {
    live = await check(profile, { outDir: first, seed: 'a-seed', depth: 'quick' })
  } finally {
    await server.close()
  }
  again = await rejudge({ dir: first, outDir: second, engine: sharedEngine })
})

const textIn = (dir: string) => readFileSync(join(dir, 'exchanges.ndjson'), 'utf8')

describe('a rejudged run', () => {
  test('has the same verdicts, messages, answers and evidence', () => {
    expect(live.outcome).toBe('violated')
    expect(again.requirements.map(lineOf)).toEqual(live.requirements.map(lineOf))
    const answers = ({ observations }: ConformanceReport) =>
      observations.map(({ id, answer }) => `${id}: ${answer}`)
    expect(answers(again)).toEqual(answers(live))
    const evidence = ({ requirements }: ConformanceReport) =>
      requirements
        .filter(({ verdict }) => verdict === 'fail')
        .map(({ id, event, exchanges }) => [id, event, exchanges.toSorted()])
    expect(evidence(again)).toEqual(evidence(live))
    expect(again.faults).toEqual([])
    expect(again.recording).toEqual({ startedAt: live.startedAt, suite: live.suite })
  })

  test('waits for nothing and skips preflight and audit', () => {
    expect(again.durationMs).toBeLessThan(live.durationMs)
    expect(again.cost).toEqual({ ...live.cost, requests: again.cost.requests })
    const beside = live.cost.requests - again.cost.requests
    expect(beside).toBeGreaterThan(0)
    expect(beside).toBeLessThan(30)
  })

  test('has one line for each exchange', () => {
    const { exchanges, lost } = restoreExchanges(textIn(first))
    expect([lost, exchanges.length]).toEqual([0, textIn(first).trimEnd().split('\n').length])
    expect(exchanges.length).toBeGreaterThanOrEqual(live.cost.requests - 3)
    const ids = new Set(exchanges.map(({ id }) => id))
    expect(ids.size).toBe(exchanges.length)
    const named = live.requirements.flatMap((requirement) => requirement.exchanges)
    expect(named.filter((id) => !ids.has(id))).toEqual([])
  })

  test('can be rejudged again with the same result', async () => {
    const third = temporaryFolder()
    const report = await rejudge({ dir: second, outDir: third, engine: sharedEngine })
    expect(report.requirements.map(lineOf)).toEqual(live.requirements.map(lineOf))
    expect(textIn(third).split('\n').toSorted()).toEqual(textIn(second).split('\n').toSorted())
  })

  test('leaves a requirement inconclusive if the recording lacks its request', async () => {
    const dir = temporaryFolder()
    const kept = textIn(first)
      .split('\n')
      .filter((line) => !line.includes('/api/openai/models'))
    // It ends early, in the middle of a line, as after a crash.
    const half = kept.slice(0, kept.length / 2)
    writeFileSync(join(dir, 'exchanges.ndjson'), half.join('\n').slice(0, -40))
    writeFileSync(join(dir, 'run.json'), readFileSync(join(first, 'run.json')))
    const judged = async () => {
      const report = await rejudge({ dir, outDir: temporaryFolder(), engine: sharedEngine })
      expect([report.faults, report.totals.error]).toEqual([[], 0])
      const requirement = report.requirements.find(({ id }) => id === 'OAI-MODELS-01')
      return { line: requirement && lineOf(requirement), open: report.totals.inconclusive }
    }
    const killed = await judged()
    expect(killed.line).toMatchInlineSnapshot(
      `"OAI-MODELS-01 inconclusive: the run left no report.json, so it may not have finished"`,
    )
    writeFileSync(join(dir, 'report.json'), JSON.stringify(live))
    const ended = await judged()
    expect(ended.line).toMatchInlineSnapshot(
      `"OAI-MODELS-01 inconclusive: the recording lacks GET /api/openai/models, which this version sends"`,
    )
    // What held in a scenario before the run was killed may have been broken in the rest of it.
    expect(killed.open).toBeGreaterThan(ended.open)
  })

  test('keeps the reason for which the run stopped', async () => {
    const server = await startSecondServer({})
    const dir = temporaryFolder()
    const stopped = await check(wholeProfile(server), {
      outDir: dir,
      depth: 'quick',
      maxRequests: 300,
    })
    await server.close()
    writeFileSync(join(dir, 'report.json'), JSON.stringify(stopped))
    const report = await rejudge({ dir, outDir: temporaryFolder(), engine: sharedEngine })
    expect(report.stopped).toBe(stopped.stopped)
    const reasons = report.requirements.map(({ message }) => message)
    expect(reasons).toContain(stopped.stopped)
    expect(reasons.filter((reason) => reason?.startsWith('the recording lacks'))).toEqual([])
  })
})

test('stored settings of a run contain no keys', () => {
  const text = readFileSync(join(first, 'run.json'), 'utf8')
  for (const key of keys) expect(text).not.toContain(key.slice(0, -1))
  expect(JSON.parse(text)).toMatchObject({
    kind: 'chatgen-run',
    schemaVersion: 1,
    selection: { profile: 'full', only: [], skip: [] },
    profile: { apiKey: '[api key]', otherKey: '[other key]' },
  })
})

test.each([
  ['a folder without a run', () => temporaryFolder(), /there is no .*run\.json/],
  ['the folder of the evidence itself', () => first, /overwrite the recording/],
  ['a link to that folder', () => linkTo(first), /overwrite the recording/],
])('rejudge rejects %s', async (_, dir, problem) => {
  await expect(rejudge({ dir: dir(), outDir: first })).rejects.toThrow(problem)
})

function linkTo(folder: string): string {
  const link = join(temporaryFolder(), 'link')
  symlinkSync(folder, link)
  return link
}
