import { describe, expect, it } from 'vitest'
import { plantedFact } from '../../../fixtures/documents.ts'
import { assistants, seededBaseId } from '../../answering/assistant-context.ts'
import { testServer } from '../../test-support/server.ts'
import { readEvents } from '../../test-support/sse.ts'

const [guide] = assistants.map(({ id }) => id)
const { question, expect: fact } = plantedFact

const textOf = ({ output }: { output: { content?: { text?: string }[] }[] }) =>
  output.flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? []).join('')
const searches = ({ output }: { output: { type: string }[] }) =>
  output.filter(({ type }) => type === 'file_search_call').length

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

it('says what the model was asked to say, errors included', async () => {
  const server = await testServer()
  expect((await server.oneShot({ input: '[[error=503]]', stream: true })).status).toBe(503)
  const failed = await server.oneShot({ input: '[[fail=2]]', stream: true })
  expect(readEvents(failed.text).at(-1).type).toBe('response.failed')
  const cut = await server.oneShot({ input: '[[tokens=9]]', max_tokens: 3 })
  expect(cut.json.incomplete_details).toEqual({ reason: 'max_output_tokens' })
})
