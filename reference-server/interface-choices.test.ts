/** docs/internals/interface-choices.md describes this server at every open point of the document. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { questionIds } from '../contract/index.ts'
import { seededBaseId } from './answering/assistant-context.ts'
import { testServer } from './test-support/server.ts'

const text = readFileSync(
  new URL('../docs/internals/interface-choices.md', import.meta.url),
  'utf8',
)

it('lists all open questions in order, each with a sentence', () => {
  const rows = [...text.matchAll(/^\| (OPEN-\d\d) \| (\S.*) \|$/gm)]
  expect(rows.map(([, id]) => id)).toEqual(questionIds)
  for (const [, , choice = ''] of rows) expect(choice).toMatch(/\.$/)
})

it('names the actual statuses of the server', async () => {
  const server = await testServer()
  const [chat_id, old] = [await server.newChat(), await server.newV2Chat()]
  const send = async (method: string, path: string, body?: object) =>
    (await server.send(method, path, body === undefined ? {} : { body })).status
  const turn = { chat_id, input: 'Hi' }
  const both = { include_tools: [], exclude_tools: [] }
  const choices = {
    'OPEN-18': (await server.generate({ ...turn, chat_id: old })).status,
    'OPEN-20': await send('POST', '/api/v3/message/generate', { ...turn, model_id: 'SVC-Main' }),
    'OPEN-21': (await server.generate({ ...turn, ...both })).status,
    'OPEN-37': (await server.oneShot({ ...turn, ...both })).status,
    'OPEN-32': (await server.complete('Hi', { model: 'none' })).status,
    'OPEN-38': (await server.complete('Hi', { max_tokens: 0 })).status,
    'OPEN-40': await send('GET', `/api/v3/message?chat_id=${crypto.randomUUID()}`),
    'OPEN-41': await send('GET', `/api/v3/message?chat_id=${chat_id}&limit=0`),
  }
  for (const [id, status] of Object.entries(choices)) {
    expect([id, row(id).slice(0, 3)]).toEqual([id, String(status)])
  }
  expect(await send('DELETE', `/api/knowledge/${seededBaseId}`)).toBe(403)
})

function row(id: string): string {
  return new RegExp(`^\\| ${id} \\| (.*) \\|$`, 'm').exec(text)?.[1] ?? ''
}
