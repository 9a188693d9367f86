/** The stream readers of the official client on the v3 stream, as an independent oracle. */
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { Stream } from 'openai/streaming'
import { describe, expect, it } from 'vitest'
import { plantedFact } from '../../../fixtures/documents.ts'
import { assistants } from '../../answering/assistant-context.ts'
import { type Json, readBlocks, readEvents, testServer } from '../../test-support/server.ts'

async function accumulated(text: string) {
  const lines = readBlocks(text).map(({ data }) => `${data}\n`)
  return ResponseStream.fromReadableStream(new Blob(lines).stream()).finalResponse()
}

it.each([
  'Hello',
  '[[tool=file_search]] [[tool=get_time {"zone":"UTC"}]] [[tokens=30]]',
  '[[refuse]]',
  '[[say=]]',
  'Search the knowledge base for the ferry to Great Skerry',
])('accumulates %j to the final response', async (input) => {
  const server = await testServer()
  for (const think of [false, true]) {
    const chat_id = await server.newChat()
    const assistant_id = assistants[0]?.id
    const { text } = await server.generate({ chat_id, assistant_id, input, think, stream: true })
    const final = JSON.parse(readBlocks(text).at(-1)?.data ?? '').response
    expect(await accumulated(text)).toMatchObject(final)
  }
})

it('fails in mid-stream with an error event and a failed response', async () => {
  const server = await testServer()
  const { text } = await server.oneShot({ input: '[[fail=3]]', stream: true })
  const abort = new AbortController()
  const read = async () => {
    for await (const _ of Stream.fromSSEResponse(new Response(text), abort));
  }
  await expect(read()).rejects.toThrow('The generation failed')
  const error = { code: 'server_error', message: 'The generation failed', param: null }
  const response = { status: 'failed', error: { code: 'server_error' } }
  expect(readEvents(text).slice(-5)).toMatchObject([
    { type: 'response.output_text.done' },
    { type: 'response.content_part.done' },
    { type: 'response.output_item.done' },
    { type: 'error', ...error, error },
    { type: 'response.failed', response: { ...response, output: [{ status: 'incomplete' }] } },
  ])
})

it('has all 31 fields of a response in each snapshot', async () => {
  const server = await testServer()
  const events = readEvents((await server.oneShot({ input: 'Hello', stream: true })).text)
  const members = events.flatMap(({ response }) => (response ? [Object.keys(response)] : []))
  expect(members.map(({ length }) => length)).toEqual([31, 31, 31])
  for (const names of members) expect(names).toEqual(members[0])
})

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

describe('rag as true or an object', () => {
  it('respects its limit', async () => {
    const { json } = await ask({ rag: { limit: 1, threshold: 0 } })
    expect(json.output[0].results).toHaveLength(1)
  })

  it('answers without results if nothing reaches the threshold', async () => {
    for (const rag of [true, { threshold: 1 }]) {
      const { json } = await ask({ rag, input: 'Hello' })
      expect(json.output[0]).toMatchObject({ type: 'file_search_call', results: [] })
      expect(answerOf(json)).toMatchObject({ annotations: [], text: expect.any(String) })
    }
  })

  it('answers without a search if there is no base', async () => {
    for (const assistant_id of [helper, null]) {
      const { json } = await ask({ rag: true, assistant_id })
      expect(types(json)).toEqual(['message'])
    }
  })

  it('cites nothing after a cut', async () => {
    const { text } = await ask({ rag: true, max_tokens: 4, stream: true })
    expect(text).not.toContain('annotation.added')
    expect(answerOf(readEvents(text).at(-1).response).annotations).toEqual([])
  })
})

it('rag as false or agent searches on request, unless the tool is excluded', async () => {
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
