import { describe, expect, test } from 'vitest'
import { check, lineOf, rowsWith } from '../../conformance/test-support/check.ts'
import { type Dialect, dialects } from '../test-support/independent-server/dialects.ts'
import { aboutTime } from '../test-support/independent-server/judged.ts'
import { handMadeProfile, unbuilt } from '../test-support/independent-server/profile.ts'
import { startHandMadeServer } from '../test-support/independent-server/server.ts'

/**
 * A legal server is never accused, however little it looks like ours. Warnings are for what real
 * clients of the contract miss, and the minimal stream lacks some of that.
 */
describe('a legal server', () => {
  test('that looks like no other violates nothing', async () => {
    const report = await run({})
    expect(rowsWith(report, 'fail', 'error').map(lineOf)).toEqual([])
    expect(report.faults).toEqual([])
    expect(
      rowsWith(report, 'warn', 'inconclusive', 'unproven', 'not-applicable')
        .filter(({ id }) => !aboutTime.includes(id))
        .map(lineOf),
    ).toMatchInlineSnapshot(`
      [
        "OAI-MODELS-03 not-applicable: the target profile has capabilities.images: false",
        "OAI-MODELS-06 inconclusive: GET /models/svc-main-model was answered 404",
        "OAI-STREAM-10 not-applicable: the target profile lacks deterministic: true",
        "OAI-TOOL-02 inconclusive: the target made no tool call",
        "OAI-TOOL-03 unproven: the behavior did not occur in this run",
        "OAI-TOOL-04 inconclusive: the target made no tool call",
        "V3-GEN-07 not-applicable: the target profile has capabilities.images: false",
        "V3-GEN-08 not-applicable: the target profile has capabilities.video: false",
        "V3-MODEL-02 not-applicable: the target profile has capabilities.images: false",
        "V3-TOOLS-02 unproven: set tools in the target profile to test this",
        "V3-TOOLS-03 unproven: set tools in the target profile to test this",
        "V3-SSE-06 warn: The sequence_number of response.created is nothing, not an integer.",
        "V3-SSE-07 unproven: the behavior did not occur in this run",
        "V3-SSE-13 unproven: the behavior did not occur in this run",
        "V3-SSE-15 warn: response.reasoning_text.delta has no output_index; a client cannot tell where it belongs.",
        "V3-SSE-16 unproven: the behavior did not occur in this run",
        "V3-SSE-19 unproven: the behavior did not occur in this run",
        "V3-SSE-23 unproven: set tools.ask in the target profile to test this",
        "V3-SSE-28 unproven: set knowledge in the target profile to test this",
        "V3-ONE-07 unproven: set capabilities.knowledge in the target profile to test this",
      ]
    `)
    expect(report.totals.pass).toBeGreaterThan(110)
  })

  test.each(Object.entries(dialects))('%s', async (_, dialect) => {
    const report = await run(dialect)
    expect(rowsWith(report, 'fail', 'error').map(lineOf)).toEqual([])
    expect(report.faults).toEqual([])
  })
})

async function run({ hooks, surfaces = 'full', profile }: Dialect) {
  const server = await startHandMadeServer(hooks)
  try {
    const report = await check(handMadeProfile(server, profile), { surfaces, skip: unbuilt })
    // What the run made, it has removed.
    expect(server.chats()).toBe(0)
    return report
  } finally {
    await server.close()
  }
}
