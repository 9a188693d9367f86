import { describe, expect, test } from 'vitest'
import { testServer } from '../../test-support/server.ts'
import { conditionsOf } from './conditions.ts'
import { effectsOf, faultyOperations, generatedFault, generatedFaultNamed } from './draw.ts'

function named(name: string) {
  return generatedFaultNamed(name) ?? expect.unreachable(name)
}

const model_id = 'svc-main-model'
const names = Array.from({ length: 400 }, (_, at) => generatedFault(7, at).name)

describe('a fault of the grammar', () => {
  test('is the same for the same seed and number, and another one for other seeds', () => {
    expect(names).toEqual(Array.from({ length: 400 }, (_, at) => generatedFault(7, at).name))
    expect(names.filter((name, at) => generatedFault(8, at).name === name).length).toBeLessThan(20)
  })

  test('is found by its name, which a list of names can hold', () => {
    for (const name of names) {
      expect(generatedFaultNamed(name)?.name).toBe(name)
      expect(name).not.toContain(',')
    }
    const [first = ''] = names
    expect(generatedFaultNamed(`${first.split(' (')[0]} (stream: perhaps)`)).toBeUndefined()
    expect(generatedFaultNamed('stream-completed-twice')).toBeUndefined()
  })

  test('has an effect and conditions of its operation, each with a name of its own', () => {
    for (const operation of faultyOperations) {
      for (const list of [effectsOf(operation), conditionsOf(operation)]) {
        const all = list.map(({ name }) => name)
        expect([operation, all.filter((name, at) => all.indexOf(name) !== at)]).toEqual([
          operation,
          [],
        ])
      }
    }
  })

  test('leaves requests alone that do not meet its conditions', async () => {
    const fault = named('openai.chat: the request is refused (model name: alias)')
    const server = await testServer({ patch: fault.patch })
    expect((await server.complete('Hi', { model: model_id })).status).toBe(200)
    expect(fault.reached()).toBe(0)
    expect((await server.complete('Hi', { model: 'SVC-Main' })).status).toBe(400)
    expect(fault.reached()).toBe(1)
  })
})
