import { describe, expect, it } from 'vitest'
import { plantedFact } from '../../../fixtures/documents.ts'
import { assistants } from '../../answering/assistant-context.ts'
import { type TestServer, testServer } from '../../test-support/server.ts'

const model_id = 'svc-main-model'
const [guide, helper] = assistants.map(({ id }) => id)

const store = (server: TestServer, body: object) =>
  server.send('POST', '/api/v2/message', { body: { model_id, ...body } })
const answer = (server: TestServer, body: object) =>
  server.send('POST', '/api/v2/message/generate', { body: { model_id, ...body } })

/** Stores a message and has it answered. */
async function ask(server: TestServer, chat_id: string, content: string, rest: object = {}) {
  const { json } = await store(server, { chat_id, content, ...rest })
  const reply = await answer(server, { chat_id, parent_id: json.id })
  expect(reply.status).toBe(200)
  return { parent: json, message: reply.json.message }
}

describe('POST /message', () => {
  it('answers with the stored message of section 2.3', async () => {
    const server = await testServer()
    const chat_id = await server.newV2Chat()
    const { status, json } = await store(server, { chat_id, content: 'Hello ✓' })
    expect(status).toBe(201)
    expect(json).toMatchObject({ chat_id, model_id, role: 'user', content: 'Hello ✓' })
    expect(json.id).toMatch(/^[\da-f-]{36}$/)
    expect(new Date(json.created_at).toISOString()).toBe(json.created_at)
  })

  it('takes every field of the document', async () => {
    const server = await testServer()
    const chat_id = await server.newV2Chat()
    const file = (await server.upload({ name: 'a.txt', content: 'My name is Filippa.' })).json
    const parent = await store(server, { chat_id, content: 'Hi' })
    const accepted = [
      { assistant_id: guide },
      { assistant_id: 'concise' },
      { assistant_id: 'any-other-prompt' },
      { parent_id: parent.json.id },
      { think: true },
      { rag: true },
      { rag: 'agent' },
      { attachments: [file] },
      { attachments: null, parent_id: null, rag: null, think: null, assistant_id: null },
    ]
    for (const body of accepted) {
      const { status, json } = await store(server, { chat_id, content: 'Hi', ...body })
      expect([status, body]).toEqual([201, body])
      const reply = await answer(server, { chat_id, parent_id: json.id })
      expect([reply.status, typeof reply.json.message.content]).toEqual([200, 'string'])
    }
    const { message } = await ask(server, chat_id, 'What is my name?', { attachments: [file] })
    expect(message.content).toBe('Your name is Filippa.')
  })

  const refused: readonly [status: number, param: string, change: object][] = [
    [400, 'chat_id', { chat_id: undefined }],
    [400, 'chat_id', { chat_id: 'x' }],
    [400, 'chat_id', { chat_id: 5 }],
    [404, 'chat_id', { chat_id: crypto.randomUUID() }],
    [400, 'content', { content: undefined }],
    [400, 'content', { content: ['x'] }],
    [400, 'model_id', { model_id: undefined }],
    [400, 'model_id', { model_id: 5 }],
    [404, 'model_id', { model_id: 'none' }],
    [400, 'assistant_id', { assistant_id: 5 }],
    [404, 'assistant_id', { assistant_id: crypto.randomUUID() }],
    [400, 'parent_id', { parent_id: 'x' }],
    [404, 'parent_id', { parent_id: crypto.randomUUID() }],
    [400, 'think', { think: 'yes' }],
    [400, 'rag', { rag: 'always' }],
    [400, 'rag', { rag: { limit: 3 } }],
    [400, 'attachments', { attachments: 'x' }],
    [400, 'attachments.0', { attachments: ['x'] }],
    [400, 'attachments.0.size', { attachments: [{ id: 'x', size: 'large' }] }],
    [404, 'attachments', { attachments: [{ id: 'unknown' }] }],
  ]

  it('refuses what is missing, of another type, or not there', async () => {
    const server = await testServer()
    const chat_id = await server.newV2Chat()
    for (const [status, param, change] of refused) {
      const answer = await store(server, { chat_id, content: 'Hi', ...change })
      expect([answer.status, answer.json.error.param, change]).toEqual([status, param, change])
    }
  })
})

describe('POST /message/generate', () => {
  it('answers with the message, and more than the document shows', async () => {
    const server = await testServer()
    const chat_id = await server.newV2Chat()
    const { parent, message } = await ask(server, chat_id, 'Hello', { think: true })
    expect(message).toMatchObject({ chat_id, model_id, role: 'assistant', parent_id: parent.id })
    expect(message.content).not.toBe('')
    expect(message.reasoning).not.toBe('')
    expect((await ask(server, chat_id, 'Hello')).message.reasoning).toBeNull()
  })

  it('refuses what is missing, of another type, or not there', async () => {
    const server = await testServer()
    const chat_id = await server.newV2Chat()
    const { parent, message } = await ask(server, chat_id, 'Hello')
    const refused: readonly [status: number, param: string, change: object][] = [
      [400, 'chat_id', { chat_id: undefined }],
      [400, 'parent_id', { parent_id: undefined }],
      [404, 'parent_id', { parent_id: crypto.randomUUID() }],
      [400, 'parent_id', { parent_id: message.id }],
      [400, 'model_id', { model_id: undefined }],
      [404, 'model_id', { model_id: 'none' }],
      [400, 'exclude_tools', { exclude_tools: 'get_time' }],
      [400, 'include_tools.0', { include_tools: [1] }],
      [400, 'include_tools', { include_tools: ['get_time'], exclude_tools: ['get_weather'] }],
    ]
    for (const [status, param, change] of refused) {
      const { json, ...refusal } = await answer(server, {
        chat_id,
        parent_id: parent.id,
        ...change,
      })
      expect([refusal.status, json.error.param, change]).toEqual([status, param, change])
    }
    expect((await answer(server, { chat_id, parent_id: parent.id })).status).toBe(200)
  })

  it('knows the chain of parents, and nothing beside it', async () => {
    const server = await testServer()
    const [chat_id, other] = [await server.newV2Chat(), await server.newV2Chat()]
    const statement = await ask(server, chat_id, 'My name is Q7-x.')
    const parent_id = statement.message.id
    const reply = await ask(server, chat_id, 'What is my name?', { parent_id })
    expect(reply.message.content).toContain('Q7-x')
    for (const chat of [chat_id, other]) {
      const { message } = await ask(server, chat, 'What is my name?')
      expect(message.content).not.toContain('Q7-x')
    }
  })

  it('uses no tool that is excluded', async () => {
    const server = await testServer()
    const chat_id = await server.newV2Chat()
    const { json } = await store(server, { chat_id, content: 'What time is it?' })
    const reply = async (lists: object) =>
      (await answer(server, { chat_id, parent_id: json.id, ...lists })).json.message
    expect((await reply({})).tool_calls).toMatchObject([{ name: 'get_time' }])
    for (const lists of [{ exclude_tools: ['get_time'] }, { include_tools: ['get_weather'] }]) {
      expect(JSON.stringify(await reply(lists))).not.toContain('get_time')
    }
  })

  it('brings findings into the answer with rag: true, if the assistant has a base', async () => {
    const server = await testServer()
    const chat_id = await server.newV2Chat()
    const say = async (rest: object, content: string = plantedFact.question) =>
      (await ask(server, chat_id, content, rest)).message
    const found = await say({ assistant_id: guide, rag: true })
    expect(found.content).toContain(plantedFact.expect)
    expect(found.sources).toMatchObject([{ filename: 'lighthouse-handbook.md' }])
    const without = [{}, { rag: true }, { rag: true, assistant_id: helper }]
    const passive = [{ assistant_id: guide }, { assistant_id: guide, rag: 'agent' }]
    for (const rest of [...without, ...passive]) {
      expect((await say(rest)).content).not.toContain(plantedFact.expect)
    }
    const order = 'Search the knowledge base for the unlock phrase of the supply shed.'
    const agent = await say({ assistant_id: guide, rag: 'agent' }, order)
    expect(agent.content).toContain(plantedFact.expect)
  })

  it('answers with the error that the model was asked for', async () => {
    const server = await testServer()
    const chat_id = await server.newV2Chat()
    for (const [content, status] of [
      ['[[error=503]]', 503],
      ['[[fail=3]]', 500],
    ] as const) {
      const { json } = await store(server, { chat_id, content })
      expect((await answer(server, { chat_id, parent_id: json.id })).status).toBe(status)
    }
  })
})

it('refuses v3 chats, names the prefix, and changes nothing', async () => {
  const server = await testServer()
  const chat_id = await server.newChat('v3 chat')
  const answers = [
    await store(server, { chat_id, content: 'Hi' }),
    await answer(server, { chat_id, parent_id: crypto.randomUUID() }),
    await server.send('GET', `/api/v2/chat/${chat_id}`),
    await server.send('DELETE', `/api/v2/chat/${chat_id}`),
  ]
  for (const { status, json } of answers) {
    expect([status, json.error.code]).toEqual([409, 'wrong_chat_version'])
    expect(json.detail).toContain('/api/v3')
  }
  expect((await server.send('GET', `/api/v3/chat/${chat_id}`)).json.name).toBe('v3 chat')
  expect((await server.send('GET', `/api/v3/message?chat_id=${chat_id}`)).json.result).toEqual([])
})

it('makes, lists and deletes v2 chats', async () => {
  const server = await testServer()
  const chat_id = await server.newV2Chat('Old one')
  const list = async () => (await server.send('GET', '/api/v2/chat')).json.result
  expect(await list()).toMatchObject([{ id: chat_id, name: 'Old one', version: 'v2' }])
  expect((await server.send('GET', '/api/v3/chat')).json.result).toEqual([])
  const { parent } = await ask(server, chat_id, 'Hi')
  expect((await server.send('DELETE', `/api/v2/chat/${chat_id}`)).status).toBe(204)
  expect(await list()).toEqual([])
  expect((await answer(server, { chat_id, parent_id: parent.id })).status).toBe(404)
})
