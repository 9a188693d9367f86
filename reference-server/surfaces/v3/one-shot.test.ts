import { describe, expect, it } from 'vitest'
import { plantedFact } from '../../../fixtures/documents.ts'
import { assistants, seededBaseId } from '../../answering/assistant-context.ts'
import { testServer } from '../../test-support/server.ts'
import { joined, readEvents } from '../../test-support/sse.ts'

const [guide] = assistants.map(({ id }) => id)
const { question, expect: fact } = plantedFact

const textOf = ({ output }: { output: { content?: { text?: string }[] }[] }) =>
  output.flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? []).join('')
const searches = ({ output }: { output: { type: string }[] }) =>
  output.filter(({ type }) => type === 'file_search_call').length

it('answers in both forms with the same object, without a key, and stores no chat', async () => {
  const server = await testServer()
  const whole = await server.oneShot({ input: 'Hello' })
  const streamed = await server.oneShot({ input: 'Hello', stream: true })
  expect([whole.status, streamed.status]).toEqual([200, 200])
  const events = readEvents(streamed.text)
  expect(joined(events, 'response.output_text.delta')).toBe(textOf(whole.json))
  expect(Object.keys(events.at(-1).response)).toEqual(Object.keys(whole.json))
  expect(whole.json).toMatchObject({ store: false, status: 'completed' })
  expect((await server.send('GET', '/api/v3/chat')).json.result).toEqual([])
})

it('takes the text as input or as the deprecated content', async () => {
  const server = await testServer()
  const expected = textOf((await server.oneShot({ input: 'Hello' })).json)
  expect(textOf((await server.oneShot({ content: 'Hello' })).json)).toBe(expected)
  expect(textOf((await server.oneShot({ content: 'Other', input: 'Hello' })).json)).toBe(expected)
  const items = [{ role: 'user', content: 'Hello' }]
  expect(textOf((await server.oneShot({ input: items })).json)).toBe(expected)
})

it('knows what runs tell, in all their forms, and nothing else', async () => {
  const server = await testServer()
  const ask = async (runs?: object[]) =>
    textOf((await server.oneShot({ input: 'What is my name?', runs })).json)
  const statement = { role: 'user', content: [{ type: 'input_text', text: 'My name is Q7-x.' }] }
  const earlier = await server.oneShot({ input: 'My name is Q7-x.' })
  const introduction = [
    [{ id: 'r1', input: 'My name is Q7-x.', output: earlier.json.output }],
    [{ id: 'r1', input: [statement], output: [] }],
    [{ id: 'r1', output: [statement] }],
    [{ id: 'r1', output: 'I see, your name is Q7-x.' }],
    [{ input: 'My name is Q7-x.' }, { ...earlier.json }],
  ]
  for (const runs of introduction) expect(await ask(runs)).toBe('Your name is Q7-x.')
  expect(await ask()).not.toContain('Q7-x')
  expect(await ask([])).not.toContain('Q7-x')
})

describe('assistants', () => {
  it('may be null, with a scenario of the caller', async () => {
    const server = await testServer()
    const assistant = { name: 'Guide', instructions: 'Be kind.', kb_id: seededBaseId }
    const body = { input: question, assistant_id: null, assistant }
    const { json } = await server.oneShot(body)
    expect([json.instructions, searches(json)]).toEqual(['Be kind.', 0])
    expect(textOf((await server.oneShot({ ...body, rag: true })).json)).toContain(fact)
    expect((await server.oneShot({ input: 'Hi', assistant_id: null })).status).toBe(200)
  })

  it('may be the searcher, in one base or in all', async () => {
    const server = await testServer()
    for (const kb_id of [seededBaseId, null, undefined]) {
      const { json } = await server.oneShot({ input: question, assistant_id: 'searcher', kb_id })
      expect([searches(json), textOf(json)]).toEqual([1, expect.stringContaining(fact)])
    }
    const excluded = await server.oneShot({
      input: question,
      assistant_id: 'searcher',
      exclude_tools: ['file_search'],
    })
    expect([searches(excluded.json), textOf(excluded.json)]).not.toContain(fact)
  })

  it('may be one of the catalog, which searches when it is told to', async () => {
    const server = await testServer()
    const ask = async (rest: object) =>
      (await server.oneShot({ input: question, assistant_id: guide, ...rest })).json
    for (const rest of [{}, { rag: 'agent' }, { rag: false }]) {
      expect(searches(await ask(rest))).toBe(0)
    }
    expect(searches(await ask({ rag: true }))).toBe(1)
    expect(textOf(await ask({ rag: { limit: 1 } }))).toContain(fact)
  })
})

it('refuses what it cannot use', async () => {
  const server = await testServer()
  const refused: readonly [status: number, param: string, body: object][] = [
    [400, 'input', { input: undefined }],
    [400, 'input', { input: 5 }],
    [400, 'content', { input: undefined, content: 5 }],
    [400, 'model_id', { model_id: undefined }],
    [404, 'model_id', { model_id: 'none' }],
    [400, 'stream', { stream: 'yes' }],
    [400, 'runs', { runs: 'x' }],
    [400, 'runs.0', { runs: ['x'] }],
    [400, 'runs.0.output', { runs: [{ output: 5 }] }],
    [400, 'assistant_id', { assistant_id: 5 }],
    [400, 'assistant_id', { assistant_id: 'finder' }],
    [404, 'assistant_id', { assistant_id: crypto.randomUUID() }],
    [400, 'assistant', { assistant: 'x' }],
    [400, 'kb_id', { kb_id: 5 }],
    [404, 'kb_id', { assistant_id: 'searcher', kb_id: 'none' }],
    [400, 'rag', { rag: 'always' }],
    [400, 'rag.limit', { rag: { limit: 0 } }],
    [400, 'include_tools', { include_tools: [], exclude_tools: [] }],
  ]
  for (const [status, param, body] of refused) {
    const answer = await server.oneShot({ input: 'Hi', ...body })
    expect([answer.status, answer.json.error.param, body]).toEqual([status, param, body])
  }
})

it('says what the model was asked to say, errors included', async () => {
  const server = await testServer()
  expect((await server.oneShot({ input: '[[error=503]]', stream: true })).status).toBe(503)
  const failed = await server.oneShot({ input: '[[fail=2]]', stream: true })
  expect(readEvents(failed.text).at(-1).type).toBe('response.failed')
  const cut = await server.oneShot({ input: '[[tokens=9]]', max_tokens: 3 })
  expect(cut.json.incomplete_details).toEqual({ reason: 'max_output_tokens' })
})
