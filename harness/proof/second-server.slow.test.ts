import { describe, expect, test } from 'vitest'
import {
  sharedEngine as engine,
  excessesIn,
  lineOf,
  requirementsWith,
  temporaryFolder,
} from '../conformance/test-support/check.ts'
import { judgeSecondServer } from './test-support/second-server/judged.ts'

/** Timing requirements: on a busy machine, a stream may be too fast or too late to be judged. */
const aboutTime = ['V3-SSE-30', 'OAI-STREAM-11']

/**
 * A server that was written from the document alone echoes every request in its answers, requires
 * `assistant_id` in every generation, and lists at most seven elements a page.
 */
describe('the second server', () => {
  test('violates nothing with its profile within the declared cost', async () => {
    const outDir = temporaryFolder()
    const report = await judgeSecondServer(engine, { outDir })
    expect(report.faults).toEqual([])
    expect(await excessesIn(outDir)).toEqual([])
    const open = requirementsWith(report, 'inconclusive', 'unproven')
    expect(open.filter(({ level }) => level === 'required').map(lineOf)).toEqual([])
    expect(
      requirementsWith(report, 'fail', 'error', 'warn', 'inconclusive', 'unproven')
        .filter(({ id }) => !aboutTime.includes(id))
        .map(lineOf),
    ).toMatchInlineSnapshot(`
      [
        "OAI-MODELS-05 warn: object is missing: expected "list".",
        "OAI-MODELS-06 inconclusive: GET /models/svc-main-model was answered 404",
        "OAI-TOOL-02 inconclusive: the target made no tool call",
        "OAI-TOOL-03 unproven: the behavior did not occur in this run",
        "OAI-TOOL-04 inconclusive: the target made no tool call",
        "V3-SSE-28 unproven: the behavior did not occur in this run",
      ]
    `)
  }, 60_000)

  test('violates nothing with only a URL', async () => {
    const report = await judgeSecondServer(engine, { isBare: true })
    expect(report.faults).toEqual([])
    expect(requirementsWith(report, 'fail', 'error').map(lineOf)).toEqual([])
    const generation = report.requirements.find(({ id }) => id === 'V3-GEN-01')
    expect(generation && lineOf(generation)).toMatchInlineSnapshot(
      `"V3-GEN-01 unproven: set requests.generate.assistant_id in the target profile to test this"`,
    )
    const open = report.observations.find(({ id }) => id === 'OPEN-10')
    expect(open?.answer).toContain('POST /api/v3/message/generate without assistant_id: 422')
  }, 60_000)
})
