import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { requirementIds } from '../../contract/index.ts'
import type { Patch } from '../services.ts'
import { testServer } from '../test-support/server.ts'
import { compose, faults, generatedFaultNamed } from './index.ts'

test('names of faults are unique, and in kebab case unless the grammar makes them', () => {
  const names = faults.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  const handwritten = names.filter((name) => generatedFaultNamed(name) === undefined)
  expect(handwritten.filter((name) => !/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name))).toEqual([])
})

test('summaries of faults are sentences', () => {
  const summaries = faults.map(({ summary }) => summary)
  expect(summaries.filter((summary) => !/^\S.*\.$/.test(summary))).toEqual([])
})

test('faults break known requirements, each listed once', () => {
  const ids = new Set<string>(requirementIds)
  for (const { name, breaks } of faults) {
    expect([name, breaks.filter((row) => !ids.has(row))]).toEqual([name, []])
    expect([name, new Set(breaks).size]).toEqual([name, breaks.length])
  }
})

test('faults that break more than two requirements give a reason', () => {
  const broad = faults.filter(({ breaks, because }) => breaks.length > 2 && !because)
  expect(broad.map(({ name }) => name)).toEqual([])
})

test('the state of a fault starts empty for each server', async () => {
  const leak = faults.find(({ name }) => name === 'openai-requests-share-a-conversation')
  if (leak === undefined) throw new Error('no such fault')
  const [first, second] = [
    await testServer({ patch: leak.patch }),
    await testServer({ patch: leak.patch }),
  ]
  await first.complete('My name is Ada.')
  expect((await first.complete('What is my name?')).text).toContain('Ada')
  expect((await second.complete('What is my name?')).text).not.toContain('Ada')
})

test('with none chosen, the server answers byte for byte as one without deviations', async () => {
  const plain = await conversation((services) => services)
  expect(await conversation(compose([]))).toEqual(plain)
  expect(plain).toHaveLength(9)
})

test('no file of the server mentions deviations', () => {
  const root = new URL('../', import.meta.url)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('deviations'),
  )
  const knowing = files.filter((file) =>
    readFileSync(new URL(file, root), 'utf8').includes('deviations/'),
  )
  expect(knowing).toEqual([])
})

/** Requests of every kind, with clock and ids that count. */
async function conversation(patch: Patch): Promise<unknown[]> {
  let drawn = 0
  const digits = () => {
    drawn += 1
    return String(drawn).padStart(12, '0')
  }
  const server = await testServer({
    patch,
    keys: ['sk-one'],
    clock: { now: () => 1_893_456_000_000, sleep: async () => {} },
    ids: {
      uuid: () => `00000000-0000-4000-8000-${digits()}`,
      tagged: (prefix) => `${prefix}_${digits()}`,
    },
  })
  const chat_id = await server.newChat()
  const turn = { chat_id, input: 'Name a color.' }
  const key = { 'idempotency-key': 'turn-1' }
  const answers = [
    await server.send('GET', '/api/openai/models'),
    await server.send('GET', '/api/openai/models', { headers: { authorization: 'Bearer no' } }),
    await server.complete('Name a color.'),
    await server.complete('Name a color.', { stream: true }),
    await server.complete('Name a color.', { temperature: 3 }),
    await server.generate(turn, key),
    await server.generate(turn, key),
    await server.generate({ ...turn, stream: true, think: true }, { 'idempotency-key': 'turn-2' }),
    await server.send('GET', `/api/v3/message?chat_id=${chat_id}&limit=2`),
  ]
  return answers.map(({ status, headers, text }) => {
    const stableHeaders = [...headers].filter(([name]) => name !== 'date')
    return { status, headers: stableHeaders, text }
  })
}
