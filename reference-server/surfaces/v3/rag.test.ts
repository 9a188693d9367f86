import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { describe, expect, it } from 'vitest'
import { plantedFact } from '../../../fixtures/documents.ts'
import { assistants } from '../../answering/assistant-context.ts'
import { testServer } from '../../test-support/server.ts'
import { type Json, readBlocks, readEvents } from '../../test-support/sse.ts'

const [guide, helper] = assistants.map(({ id }) => id)
const { question, expect: fact } = plantedFact

const types = ({ output }: Json) => output.map(({ type }: Json) => type)
const answerOf = ({ output }: Json) => output.at(-1).content[0]

async function ask(body: object) {
  const server = await testServer()
  const chat_id = await server.newChat()
  const answer = await server.generate({ chat_id, assistant_id: guide, input: question, ...body })
  const history = await server.send('GET', `/api/v3/message?chat_id=${chat_id}`)
  return { ...answer, rows: history.json.result }
}

describe('rag: true, or an object', () => {
  const values = [
    true,
    {},
    { threshold: 0.2, search_type: 'hybrid', limit: 3 },
    { search_type: 'dense', rerank: true },
    { search_type: 'sparse', summary_mode: true },
    { rerank: false, summary_mode: 'none', threshold: null, limit: null, search_type: null },
  ]

  it.each(values)('searches before the answer, which holds the fact: %j', async (rag) => {
    const { json, rows } = await ask({ rag })
    expect(types(json)).toEqual(['file_search_call', 'message'])
    expect(json.output[0]).toMatchObject({ status: 'completed', queries: [question] })
    for (const result of json.output[0].results) {
      expect(result).toMatchObject({ attributes: {}, file_id: expect.any(String) })
      expect(result.score).toBeGreaterThan(0)
    }
    expect(answerOf(json).text).toContain(fact)
    expect(rows.slice(1).map(({ item }: Json) => item)).toEqual(json.output)
  })

  it('keeps to its limit', async () => {
    const { json } = await ask({ rag: { limit: 1, threshold: 0 } })
    expect(json.output[0].results).toHaveLength(1)
  })

  it('finds nothing where nothing is near enough, and answers all the same', async () => {
    for (const rag of [true, { threshold: 1 }]) {
      const { json } = await ask({ rag, input: 'Hello' })
      expect(json.output[0]).toMatchObject({ type: 'file_search_call', results: [] })
      expect(answerOf(json)).toMatchObject({ annotations: [], text: expect.any(String) })
    }
  })

  it('searches nothing without a base, and answers all the same', async () => {
    for (const assistant_id of [helper, null]) {
      const { json } = await ask({ rag: true, assistant_id })
      expect(types(json)).toEqual(['message'])
    }
  })

  it('streams the search with its events, and cites what it found', async () => {
    const { text, rows } = await ask({ rag: true, think: true, stream: true })
    const events = readEvents(text)
    const search = events.filter(({ type }) => type.startsWith('response.file_search_call.'))
    expect(search.map(({ type }) => type.split('.')[2])).toEqual([
      'in_progress',
      'searching',
      'completed',
    ])
    const final = events.at(-1).response
    expect(types(final)).toEqual(['file_search_call', 'reasoning', 'message'])
    const part = answerOf(final)
    const announced = events.filter(({ type }) => type.endsWith('.annotation.added'))
    expect(part.annotations.length).toBeGreaterThan(0)
    expect(announced.map(({ annotation }) => annotation)).toEqual(part.annotations)
    const found = final.output[0].results.map(({ file_id }: Json) => file_id)
    for (const { type, file_id, index } of part.annotations) {
      expect([type, found.includes(file_id)]).toEqual(['file_citation', true])
      expect(index).toBeLessThanOrEqual(part.text.length)
    }
    expect(rows.slice(1).map(({ item }: Json) => item)).toEqual(final.output)
    const lines = readBlocks(text).map(({ data }) => `${data}\n`)
    const read = ResponseStream.fromReadableStream(new Blob(lines).stream())
    expect(await read.finalResponse()).toMatchObject(final)
  })

  it('cites nothing that lies beyond the cut', async () => {
    const { text } = await ask({ rag: true, max_tokens: 4, stream: true })
    expect(text).not.toContain('annotation.added')
    expect(answerOf(readEvents(text).at(-1).response).annotations).toEqual([])
  })
})

describe('rag: false and agent', () => {
  it('let the model search when it is told to, unless the tool is excluded', async () => {
    const input = 'Please search the knowledge base for the unlock phrase of the supply shed.'
    for (const rag of ['agent', false]) {
      const { json } = await ask({ input, rag })
      expect(types(json)).toEqual(['file_search_call', 'message'])
      expect(answerOf(json).text).toContain(fact)
      const excluded = await ask({ input, rag, exclude_tools: ['file_search'] })
      expect(types(excluded.json)).toEqual(['message'])
      expect(answerOf(excluded.json).text).not.toContain(fact)
    }
    const ordered = '[[tool=file_search {"query":"unlock phrase supply shed"}]]'
    expect(answerOf((await ask({ input: ordered, rag: 'agent' })).json).text).toContain(fact)
    for (const query of ['[[tool=file_search 5]]', '[[tool=file_search {"query":[]}]]']) {
      expect(types((await ask({ input: query, rag: 'agent' })).json)).toContain('message')
    }
  })
})
