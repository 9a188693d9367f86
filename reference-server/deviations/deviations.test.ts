import { describe, expect, it, test } from 'vitest'
import { requirementIds } from '../../contract/index.ts'
import { testServer } from '../test-support/server.ts'
import { combineDialects, dialects } from './dialects/index.ts'
import { conditionsOf } from './grammar/conditions.ts'
import { effectsOf, faultyOperations, generatedFault, generatedFaultNamed } from './grammar/draw.ts'
import { compose, faults } from './index.ts'

test('fault names are unique, and in kebab case unless they are generated', () => {
  const names = faults.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  const handwritten = names.filter((name) => generatedFaultNamed(name) === undefined)
  expect(handwritten.filter((name) => !/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name))).toEqual([])
})

test('fault summaries are sentences', () => {
  const summaries = faults.map(({ summary }) => summary)
  expect(summaries.filter((summary) => !/^\S.*\.$/.test(summary))).toEqual([])
})

test('faults break one or two known requirements', () => {
  const ids = new Set<string>(requirementIds)
  const wrong = faults.filter(
    ({ breaks }) =>
      breaks.length > 2 || new Set(breaks.filter((id) => ids.has(id))).size < breaks.length,
  )
  expect(wrong.map(({ name }) => name)).toEqual([])
})

test('fault state starts empty for each server', async () => {
  const leak = faults.find(({ name }) => name === 'openai-requests-share-a-conversation')
  const { patch } = leak ?? expect.unreachable('no such fault')
  const [first, second] = [await testServer({ patch }), await testServer({ patch })]
  await first.complete('My name is Ada.')
  expect((await first.complete('What is my name?')).text).toContain('Ada')
  expect((await second.complete('What is my name?')).text).not.toContain('Ada')
})

function named(name: string) {
  return generatedFaultNamed(name) ?? expect.unreachable(name)
}

const model_id = 'svc-main-model'
const names = Array.from({ length: 400 }, (_, at) => generatedFault(7, at).name)

describe('a generated fault', () => {
  test('is determined by seed and number', () => {
    expect(names).toEqual(Array.from({ length: 400 }, (_, at) => generatedFault(7, at).name))
    expect(names.filter((name, at) => generatedFault(8, at).name === name).length).toBeLessThan(20)
  })

  test('is found by its name, which contains no comma', () => {
    for (const name of names) {
      expect(generatedFaultNamed(name)?.name).toBe(name)
      expect(name).not.toContain(',')
    }
    const [first = ''] = names
    expect(generatedFaultNamed(`${first.split(' (')[0]} (stream: perhaps)`)).toBeUndefined()
    expect(generatedFaultNamed('stream-completed-twice')).toBeUndefined()
  })

  test('has unique names of effects and conditions', () => {
    for (const operation of faultyOperations) {
      for (const list of [effectsOf(operation), conditionsOf(operation)]) {
        const all = list.map(({ name }) => name)
        expect(
          all.filter((name, at) => all.indexOf(name) !== at),
          operation,
        ).toEqual([])
      }
    }
  })

  test('affects only requests that meet its conditions', async () => {
    const fault = named('openai.chat: the request is refused (model name: alias)')
    const server = await testServer({ patch: fault.patch })
    expect((await server.complete('Hi', { model: model_id })).status).toBe(200)
    expect(fault.reached()).toBe(0)
    expect((await server.complete('Hi', { model: 'SVC-Main' })).status).toBe(400)
    expect(fault.reached()).toBe(1)
  })

  test('of authentication is in effect beside another', async () => {
    const patches = [
      'v3.chats: the first row comes twice',
      'openai.models: any key is accepted',
      'openai.models: the scheme is accepted without a key',
    ].map((name) => named(name).patch)
    const server = await testServer({ patch: compose(patches) })
    const statusWith = async (authorization: string) =>
      (await server.send('GET', '/api/openai/models', { headers: { authorization } })).status
    expect(await Promise.all(['Bearer x', 'Bearer', 'Basic x'].map(statusWith))).toEqual([
      200, 200, 401,
    ])
  })
})

test('dialect names are unique and in kebab case, and exclusions exist', () => {
  const names = dialects.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)+$|^slow$/.test(name))).toEqual([])
  const excluded = dialects.flatMap(({ excludes = [] }) => excludes)
  expect(excluded.filter((name) => !names.includes(name))).toEqual([])
})

describe('combineDialects', () => {
  const seeds = Array.from({ length: 300 }, (_, seed) => seed)
  const chosenBy = (seed: number) => combineDialects(seed).summary.split(', ')

  it('is determined by the seed', () => {
    expect(seeds.map(chosenBy)).toEqual(seeds.map(chosenBy))
    expect(new Set(seeds.map((seed) => combineDialects(seed).summary)).size).toBeGreaterThan(290)
    expect(new Set(seeds.flatMap(chosenBy)).size).toBe(dialects.length)
  })

  it('never combines dialects that exclude each other', () => {
    for (const seed of seeds) {
      const names = chosenBy(seed)
      const chosen = dialects.filter(({ name }) => names.includes(name))
      expect(chosen.length).toBeGreaterThanOrEqual(3)
      const excluded = new Set(chosen.flatMap(({ excludes = [] }) => excludes))
      expect(names.filter((name) => excluded.has(name))).toEqual([])
    }
  })

  it('keeps all fields of the profiles', () => {
    const both = seeds
      .map((seed) => ({ chosen: chosenBy(seed), profile: combineDialects(seed).profile }))
      .filter(({ chosen }) => chosen.includes('chat-needs-a-folder'))
    expect(both).not.toEqual([])
    for (const { profile } of both) {
      expect(profile).toMatchObject({ requests: { createChat: { folder: 'inbox' } } })
    }
  })
})
