import { describe, expect, test } from 'vitest'
import { brokenTranscripts, goldenTranscripts } from '../../fixtures/transcripts.ts'
import { judge } from './index.ts'
import { brokenIn, heldIds, transcriptExchange } from './test-support/exchanges.ts'

describe('golden transcripts', () => {
  test.each(goldenTranscripts)('%s breaks nothing', (name) => {
    expect(brokenIn(transcriptExchange(name))).toEqual({})
  })

  test('hold what they exercise, and nothing else', () => {
    const held = goldenTranscripts.map((name) => {
      const rows = heldIds(judge(transcriptExchange(name)))
      return `${name}: ${rows.map((row) => row.replace('V3-SSE-', '').replace('OAI-STREAM-', 'S')).join(' ')}`
    })
    expect(held).toMatchInlineSnapshot(`
      [
        "message: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 29",
        "message-crlf: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 29",
        "reasoning: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 25 26 27 29 V3-THINK-02",
        "function-call: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 13 14 15 18 19 20 21 22 23 24 26 27 29",
        "file-search: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 28 29",
        "file-search-cr: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 28 29",
        "refusal: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 11 13 14 15 16 18 19 20 21 22 24 26 27 29",
        "incomplete: V3-GEN-10 01 02 03 04 05 06 07 08 10 11 12 13 14 15 16 17 18 19 20 21 22 24 25 26 27 29",
        "failed: 01 02 03 04 05 06 07 08 10 11 12 14 15 16 21 24 25 26 27 29",
        "two-items: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 12 13 14 15 16 17 18 19 20 21 24 25 26 27 29",
        "odd: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 12 13 14 15 16 17 18 19 21 24 25 26 27 29",
        "minimal: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 12 14 15 16 17 24 25 26 27 29",
        "minimal-reasoning: V3-GEN-02 01 02 03 04 05 06 07 08 09 10 12 14 15 16 17 25 26 27 29 V3-THINK-02",
        "chat: S01 S02 S03 S04 S05 S06 S07 S09 S12",
        "chat-usage: OAI-CHAT-10 OAI-MAXTOK-01 OAI-MAXTOK-02 S01 S02 S03 S04 S05 S06 S07 S08 S09 S12",
        "chat-tools: S01 S02 S05 S06 S07 S09 S12",
        "chat-error: S01 S02 S03 S04 S06 S12",
      ]
    `)
  })
})

test.each([...brokenTranscripts])('%s breaks %j', (name, requirements) => {
  expect(Object.keys(brokenIn(transcriptExchange(name))).sort()).toEqual(requirements)
})
