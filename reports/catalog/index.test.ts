import { describe, expect, test } from 'vitest'
import { areaTitle } from './entries.ts'
import { catalogRows, catalogToText, explainRow, findRow } from './index.ts'

test('every area has a heading', () => {
  const areas = new Set(catalogRows().map((row) => row.area))
  expect([...areas].filter((area) => areaTitle(area) === area)).toEqual([])
})

test('a list has a line for each row that it is given', () => {
  const ids = ['V3-IDEM-01', 'OAI-CHAT-10', 'X-05', 'OPEN-35']
  const rows = catalogRows().filter((row) => ids.includes(row.id))

  expect(catalogToText(rows)).toMatchInlineSnapshot(`
    "OAI-CHAT-10  expected  openai  2.2  wire     total_tokens SHOULD be the sum of prompt_tokens and completion_tokens.
    V3-IDEM-01   required  v3      4.3  service  A generation without Idempotency-Key MUST NOT succeed.
    X-05         excluded          7             503 means that the service is unavailable.
    OPEN-35      open      v2      5             How is a token for the native surfaces obtained?
    "
  `)
  expect(catalogToText([])).toBe('')
})

test('a list has colors only where they are asked for', () => {
  const rows = catalogRows().slice(0, 1)
  expect(catalogToText(rows, { color: true })).toContain('\u001b[')
  expect(catalogToText(rows, { color: false })).not.toContain('\u001b[')
})

describe('explaining a row', () => {
  test('a required one', () => {
    expect(explainRow('V3-GEN-03')).toMatchInlineSnapshot(`
      "V3-GEN-03
      Members that a response has in both forms, streamed and not, MUST have the same
      types in both.

      level       required: stated in the interface document. A violation makes the
                  target non-conforming.
      section     4.3 (covers 2 statements of the document)
      specifies   GET /message pages through the history (50 rows by default, cursor
                  null at the end). POST /message/generate needs an Idempotency-Key
                  and answers with the final response object or with a stream; a
                  repeat with the same key creates no duplicate step. POST
                  /message/one-shot generates without a chat. The chat, attachment and
                  knowledge routes manage the rest. A v3 route called for a chat of
                  another version returns an error that hints at the right prefix.
      surface     Native v3 surface, /api/v3
      source      service: demanded by the interface document alone.
      area        V3-GEN, Chat generation
      depends on  V3-GEN-02, V3-SSE-08, V3-SSE-09: if one of these is violated, this
                  requirement is inconclusive.
      contract    R22 of the Responses-style streaming contract.
      "
    `)
  })

  test('one that is tried under conditions', () => {
    expect(explainRow('V3-GEN-09')).toMatchInlineSnapshot(`
      "V3-GEN-09
      A generation MUST accept max_tokens, temperature, top_p and presence_penalty.

      level       required: stated in the interface document. A violation makes the
                  target non-conforming.
      section     4.3 (covers 4 statements of the document)
      specifies   GET /message pages through the history (50 rows by default, cursor
                  null at the end). POST /message/generate needs an Idempotency-Key
                  and answers with the final response object or with a stream; a
                  repeat with the same key creates no duplicate step. POST
                  /message/one-shot generates without a chat. The chat, attachment and
                  knowledge routes manage the rest. A v3 route called for a chat of
                  another version returns an error that hints at the right prefix.
      surface     Native v3 surface, /api/v3
      source      service: demanded by the interface document alone.
      area        V3-GEN, Chat generation
      depends on  V3-GEN-11: if one of these is violated, this requirement is
                  inconclusive.
      required by V3-GEN-10
      conditions  v3.generate with max_tokens: 1, 24; temperature: 1, 0.3; top_p: 0.5;
                  presence_penalty: 0.5. Each of them at every depth, at normal
                  several times with others, at full with each condition of the
                  operation.
      "
    `)
  })

  test('one that needs a capability and a member of the profile', () => {
    expect(explainRow('RAG-04')).toMatchInlineSnapshot(`
      "RAG-04
      With rag as an object the server MUST search as with true, with the given
      parameters.

      level       required: stated in the interface document. A violation makes the
                  target non-conforming.
      section     4.4 (covers 1 statement of the document)
      specifies   false: no search before the answer. true: the server searches the
                  knowledge base of the assistant first and puts the results into the
                  context. agent: no search in advance, the model uses its tools. An
                  object (threshold, search_type, limit, rerank, summary_mode): as
                  true, with these parameters. The default is false in chats and agent
                  in one-shot.
      surface     Native v3 surface, /api/v3
      source      service: demanded by the interface document alone.
      area        RAG, Retrieval before the answer
      depends on  RAG-01: if one of these is violated, this requirement is
                  inconclusive.
      required by RAG-08
      capability  rag: capabilities.rag in the target profile; true: must work; false:
                  not applicable; absent: not tested.
      profile     rag.object: without this member of the target profile the
                  requirement is not tested.
      "
    `)
  })

  test('an exclusion', () => {
    expect(explainRow('X-03')).toMatchInlineSnapshot(`
      "X-03
      429 means too many requests.

      kind        excluded: cannot be observed over HTTP; never judged.
      section     7 (covers 1 statement of the document)
      specifies   The compatible surface answers 400 to invalid parameters, 401
                  without a valid key, 429 when rate limited, 500 and 503 on failures.
                  A v3 route called for a chat of another version names the prefix to
                  use. Error bodies and the other statuses are not specified.
      reason      The thresholds are not specified, so no reasonable number of
                  requests is certain to reach them. If it occurs, chatgen obeys and
                  records it.
      "
    `)
  })

  test('an open question', () => {
    expect(explainRow('OPEN-28')).toMatchInlineSnapshot(`
      "OPEN-28
      How is a repeat with the same Idempotency-Key answered?

      kind        open: the interface document leaves this open. The behavior of the
                  target is recorded, never judged.
      section     4.3 (covers 1 statement of the document)
      specifies   GET /message pages through the history (50 rows by default, cursor
                  null at the end). POST /message/generate needs an Idempotency-Key
                  and answers with the final response object or with a stream; a
                  repeat with the same key creates no duplicate step. POST
                  /message/one-shot generates without a chat. The chat, attachment and
                  knowledge routes manage the rest. A v3 route called for a chat of
                  another version returns an error that hints at the right prefix.
      surface     Native v3 surface, /api/v3
      "
    `)
  })

  test('an id may be written in lower case; an unknown one explains nothing', () => {
    expect(explainRow('v3-idem-01')).toBe(explainRow('V3-IDEM-01'))
    expect(explainRow('V3-IDEM-99')).toBeUndefined()
    expect(findRow('V3-IDEM-99')).toBeUndefined()
  })

  test('no line is wider than asked for', () => {
    const widest = catalogRows().flatMap((row) =>
      (explainRow(row.id, { color: false, width: 60 }) ?? '').split('\n'),
    )
    expect(Math.max(...widest.map((line) => line.length))).toBeLessThanOrEqual(60)
  })
})
