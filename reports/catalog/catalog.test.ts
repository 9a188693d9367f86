import { describe, expect, test } from 'vitest'
import { areaTitle, catalogEntries, findEntry } from './entries.ts'
import { catalogToText, explainEntry } from './explain.ts'

test('areas have titles', () => {
  const areas = new Set(catalogEntries().map((row) => row.area))
  expect([...areas].filter((area) => areaTitle(area) === area)).toEqual([])
})

test('catalogToText has a line for each entry', () => {
  const ids = ['V3-IDEM-01', 'OAI-CHAT-10', 'X-05', 'OPEN-35']
  const rows = catalogEntries().filter((row) => ids.includes(row.id))

  expect(catalogToText(rows)).toMatchInlineSnapshot(`
    "OAI-CHAT-10  expected  openai  2.2  wire     total_tokens SHOULD be the sum of prompt_tokens and completion_tokens.
    V3-IDEM-01   required  v3      4.3  service  A generation without Idempotency-Key MUST NOT succeed.
    X-05         excluded          7             503 means that the service is unavailable.
    OPEN-35      open      v2      5             How is a token for the native surfaces obtained?
    "
  `)
  expect(catalogToText([])).toBe('')
})

test('catalogToText has colors only if requested', () => {
  const rows = catalogEntries().slice(0, 1)
  expect(catalogToText(rows, { color: true })).toContain('\u001b[')
  expect(catalogToText(rows, { color: false })).not.toContain('\u001b[')
})

describe('explainEntry', () => {
  test('explains a requirement with a capability and a profile field', () => {
    expect(explainEntry('RAG-04')).toMatchInlineSnapshot(`
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
      source      service: required only by the interface document.
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

  test.each([
    ['V3-GEN-03', /^contract {4}R22 of the Responses-style streaming contract\.$/m],
    ['V3-GEN-03', /^section {5}4\.3 \(covers 2 statements of the document\)$/m],
    ['V3-GEN-09', /^conditions {2}v3\.generate with max_tokens: 24, 96; temperature: 1, 0\.3;/m],
    ['X-03', /^kind {8}excluded: cannot be observed over HTTP; never judged\.$/m],
    ['X-03', /^reason {6}The thresholds are not specified/m],
    ['OPEN-28', /^How is a repeat with the same Idempotency-Key answered\?\n\nkind {8}open: /m],
  ])('of %s contains %s', (id, line) => {
    expect(explainEntry(id)).toMatch(line)
  })

  test('accepts lower case and is undefined for an unknown id', () => {
    expect(explainEntry('v3-idem-01')).toBe(explainEntry('V3-IDEM-01'))
    expect(explainEntry('V3-IDEM-99')).toBeUndefined()
    expect(findEntry('V3-IDEM-99')).toBeUndefined()
  })

  test('fits the requested width', () => {
    const widest = catalogEntries().flatMap((row) =>
      (explainEntry(row.id, { color: false, width: 60 }) ?? '').split('\n'),
    )
    expect(Math.max(...widest.map((line) => line.length))).toBeLessThanOrEqual(60)
  })
})
