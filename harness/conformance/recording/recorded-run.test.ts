import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exchange, restoreExchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { wholeProfile } from '../../proof/test-support/second-server/judged.ts'
import { startSecondServer } from '../../proof/test-support/second-server/server.ts'
import { check } from '../test-support/check.ts'
import { makeFolder, removeFolder } from '../test-support/folders.ts'

/** Recordings can be judged again, without the target and with the same verdicts. */
describe('a recording', () => {
  const folder = makeFolder()
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  let live: ConformanceReport
  let again: ConformanceReport

  beforeAll(async () => {
    // One fault of each kind, so that there are violations to be found again.
    const server = await startSecondServer({
      row: (row) => ({ ...row, item_type: 'item' }),
      checks: (check) => check !== 'both lists',
    })
    // Effects are waited for the first time, and nothing the second time.
    const profile = wholeProfile(server, { limits: { timeoutMs: 15_000, settleMs: 4000 } })
    try {
      live = await check(profile, { outDir: first, seed: 'a-seed' })
    } finally {
      await server.close()
    }
    const recordingFile = join(first, 'exchanges.ndjson')
    again = await check(profile, { outDir: second, seed: 'a-seed', recordingFile })
  })
  afterAll(() => removeFolder(folder))

  test('gets the same verdict for every row', () => {
    const verdicts = ({ requirements }: ConformanceReport) =>
      requirements.map(({ id, verdict, message }) => `${id} ${verdict}: ${message}`)
    expect(verdicts(again)).toEqual(verdicts(live))
    expect(again.outcome).toBe('violated')
    expect(again.faults).toEqual([])
  })

  test('gets the same answers to open questions', () => {
    const answers = ({ observations }: ConformanceReport) =>
      observations.map(({ id, answer }) => `${id}: ${answer}`)
    expect(answers(again)).toEqual(answers(live))
  })

  test('waits for nothing', () => {
    expect(again.durationMs).toBeLessThan(live.durationMs)
  })

  test('holds every exchange in a line of its own', () => {
    const exchanges = recorded(first)
    // Those that ask who is there are no evidence of anything.
    expect(exchanges.length).toBeGreaterThanOrEqual(live.cost.requests - 3)
    expect(new Set(exchanges.map(({ id }) => id)).size).toBe(exchanges.length)
    const ids = new Set(exchanges.map(({ id }) => id))
    for (const row of live.requirements) {
      expect(
        row.exchanges.filter((id) => !ids.has(id)),
        row.id,
      ).toEqual([])
    }
  })

  test('is written again with the same places and answers', () => {
    const places = (folder: string) =>
      recorded(folder)
        // What is left behind is looked for only if there is a target.
        .filter(({ labels }) => labels.scenario !== 'residue-audit')
        .map(({ labels, response, ending }) =>
          [labels.scenario, labels.ordinal, labels.attempt, response?.status, ending.kind].join(
            ' ',
          ),
        )
        .toSorted()
    expect(places(second)).toEqual(places(first))
  })

  test('of another seed asks for what was not recorded, or finds other words', async () => {
    const recordingFile = join(first, 'exchanges.ndjson')
    const profile = wholeProfile({
      url: 'http://127.0.0.1:9',
      keys: ['tok_of-no-use', 'tok_of-none'],
    })
    const other = await check(profile, {
      surfaces: 'v3',
      only: ['V3-HIST-07', 'V3-CTX'],
      seed: 'another-seed',
      recordingFile,
    })
    expect(other.faults).toEqual([])
    expect(other.requirements.map(({ verdict }) => verdict)).not.toContain('pass')
  })
})

function recorded(folder: string): Exchange[] {
  const lines = readFileSync(join(folder, 'exchanges.ndjson'), 'utf8').trimEnd().split('\n')
  return lines.map((line) => restoreExchange(JSON.parse(line)))
}
