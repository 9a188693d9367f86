import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conforming, exchanges, row, violated } from '../../test-support/reports.ts'
import { cell, code, codeBlock, escaped } from '../../text/markdown.ts'
import { reportToMarkdown } from './markdown.ts'

test('the report of a run with verdicts of every kind', () => {
  expect(reportToMarkdown(violated, exchanges)).toMatchInlineSnapshot(`
    "## ❌ Violated

    | passed | violated | undecided | of required requirements |
    | ---: | ---: | ---: | ---: |
    | **3** | **5** (1 known) | **4** | 12 |

    \`http://127.0.0.1:4010\`, profile full; 41 requests in 4.3 s; chatgen \`0.1.0\`, interface \`2026-01\`, seed \`seed-1\`

    ### Stale baseline entries

    - V3-HIST-01 passes now: delete its entry

    ### Violated

    **V3-IDEM-02** A repeat with the same Idempotency-Key MUST NOT add a second step (JSON body). (required, section 4.3)

    Found: \`\`\` the history has 2 steps & <b>one</b> key \`\` \`\`\`

    <details><summary>Evidence</summary>

    \`\`\`\`text
    request (x4):
      curl -i -X POST http://127.0.0.1:4010/api/v3/message/generate \\
        -H "Authorization: Bearer $CHATGEN_API_KEY" \\
        -H 'content-type: application/json' \\
        -H 'idempotency-key: turn-1' \\
        --data-raw '{"chat_id":"0b6e","input":"ping"}'
    response: 200 application/json, 54 bytes in 12.3 ms
      {"note":"\\x1b[2J</td></system-out>]]>￿\`\`\`\\n::error::x"}
    see x5: GET http://127.0.0.1:4010/api/v3/message?chat_id=0b → 200 application/json, 0 bytes in 12.3 ms
    x6 is not among the recorded exchanges
    \`\`\`\`

    </details>

    **V3-SSE-05** The first event MUST be response.created, and it MUST occur exactly once. (required, section 6)

    Found: \`the first event is response.output_item.added\`

    <details><summary>Evidence</summary>

    \`\`\`text
    request (x9):
      curl -i -N -X POST http://127.0.0.1:4010/api/v3/message/generate \\
        -H "Authorization: Bearer $CHATGEN_API_KEY" \\
        -H 'content-type: application/json' \\
        --data-raw '{"input":"ping","stream":true}'
    response: 200 text/event-stream, 120 bytes in 20.0 ms, cut off by the target: other side closed
      >    +10.0 ms  event: response.output_item.added  {"output_index":0}
           +11.0 ms  event: response.created  {"response":{"id":"resp_3"}}
           +20.0 ms  cut off by the target: other side closed
    \`\`\`

    </details>

    **2 requirements violated, same cause:** \`usage is missing\`

    - **OAI-CHAT-09** The usage of a completion MUST have prompt\\_tokens, completion\\_tokens and total\\_tokens, all integers. (required, wire, section 2.2)
    - **OAI-CHAT-06** The choices of a completion MUST be an array that holds the answer, and each choice MUST have an integer index. (required, wire, section 2.2)

    <details><summary>Evidence</summary>

    \`\`\`text
    x1 is not among the recorded exchanges
    x2 is not among the recorded exchanges
    \`\`\`

    </details>

    ### Known violations

    - **OAI-ERR-01** A body that is not JSON is a bad request: it MUST be answered with 400. Found: \`answered with 422\`  
      known: because the gateway answers (CHAT-17, until 2026-12-31)

    ### Warnings

    - **V3-SSE-07** sequence\\_number SHOULD increase strictly. Found: \`sequence_number 3 follows 3\`

    ### Internal errors of chatgen

    - \`v3-idempotency/racing\`: \`TypeError: turns is undefined\\n  at x\`

    ### Not tested

    - set v2Chat in the target profile to test this: V2-MSG 01 02

    ### Inconclusive

    - blocked by V3-SSE-05: V3-GEN 03

    ### Not judged because of an internal error

    - TypeError: turns is undefined: V3-IDEM 05

    <details><summary>Not applicable</summary>

    - the target profile has capabilities.video: false: V3-GEN 08

    </details>

    <details><summary>Behavior profile: 1 open question, not judged</summary>

    | | Open question | This target |
    | --- | --- | --- |
    | OPEN-28 | How is a repeat with the same Idempotency-Key answered? | \`\`200 \\| with \`the\` same response id\`\` |

    </details>

    ### Not deleted from the target

    - 1 chat: \`c-1\`
    "
  `)
})

test('where everything holds, it is short', () => {
  expect(reportToMarkdown(conforming, exchanges)).toMatchInlineSnapshot(`
    "## ✅ Conforms

    | passed | violated | undecided | of required requirements |
    | ---: | ---: | ---: | ---: |
    | **3** | **0** | **0** | 3 |

    \`http://127.0.0.1:4010\`, profile full; 41 requests in 4.3 s; chatgen \`0.1.0\`, interface \`2026-01\`, seed \`seed-1\`
    "
  `)
})

test.each([
  [[null, null, null], '- 3 documents, ids unknown'],
  [['d1', null, 'd2', null], '- 4 documents: `d1`, `d2` and 2 with unknown id'],
  [['d1'], '- 1 document: `d1`'],
])('what is left is told by its ids, as far as there are any: %j', (ids, line) => {
  const residue = ids.map((id) => ({ kind: 'document' as const, name: 'a', id, why: 'no route' }))
  expect(reportToMarkdown({ ...violated, residue }, exchanges)).toContain(`\n${line}\n`)
})

test('a thousand violations fit into a summary', () => {
  const requirements = Array.from({ length: 1_000 }, (_, at) =>
    row('V3-SSE-05', 'fail', { message: `another ${'!'.repeat(at)}`, exchanges: ['x4', `x${at}`] }),
  )
  const text = reportToMarkdown({ ...violated, requirements }, exchanges)
  expect(text.length).toBeLessThan(1_000_000)
})

describe('what a target says stays text', () => {
  test.each([
    [
      'a <b>bold</b> *claim* [here](x) ![x](y)',
      'a &lt;b&gt;bold&lt;/b&gt; \\*claim\\* \\[here\\](x) !\\[x\\](y)',
    ],
    [
      '@octocat, see https://example.org',
      '@<span></span>octocat, see https:<span></span>//example.org',
    ],
    ['# no heading', '\\# no heading'],
  ])('in prose: %s', (text, expected) => {
    expect(escaped(text)).toBe(expected)
  })

  test.each([
    ['a `tick` and | a pipe', '``a `tick` and \\| a pipe``'],
    ['``', '``` `` ```'],
  ])('as code: %s', (text, expected) => {
    expect(cell(text)).toBe(expected)
  })

  test('no text ends its span or its block', () => {
    const text = fc.string({ unit: fc.constantFrom('`', 'a', ' ', '|', '\\') })
    fc.assert(
      fc.property(text.filter(Boolean), (content) => {
        const [fence = ''] = code(content).match(/^`+/) ?? []
        const inner = code(content).slice(fence.length, -fence.length)
        expect(inner.match(/`+/g) ?? []).not.toContain(fence)
        const block = codeBlock([content]).split('\n')
        expect(block.slice(1, -1)).not.toContain(block.at(-1))
        expect(content).not.toContain(block.at(-1))
      }),
    )
  })
})
