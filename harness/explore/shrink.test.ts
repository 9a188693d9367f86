import { expect, test } from 'vitest'
import { BudgetSpentError } from '../conformance/session/errors.ts'
import { type Operation, StateViolation } from './command.ts'
import type { Replay } from './sequence.ts'
import { type ShrinkOptions, shrink } from './shrink.ts'

const violation = new StateViolation(
  'V3-IDEM-02',
  '2 steps are stored for one key',
  [],
  [{ label: 'o1' }],
)
const limits = { violation, maxOperations: 2000, maxGenerations: 300 }

const operations: readonly Operation[] = [
  { command: 'create chat', label: 'o1' },
  { command: 'create chat', label: 'o2' },
  { command: 'generate', label: 'o3', chat: 'o1', variant: 'stream' },
  { command: 'add favorite', label: 'o4', chat: 'o2' },
  { command: 'rename', label: 'o5', chat: 'o1', variant: 'another word' },
  { command: 'read chat', label: 'o6', chat: 'o1' },
  { command: 'repeat key', label: 'o7', chat: 'o1', turn: 'o3', variant: 'other form' },
  { command: 'read history', label: 'o8', chat: 'o1', limit: 5 },
]

/** A target that forgets the keys of a chat when it is renamed. */
async function forgetful(sequence: readonly Operation[]): Promise<Replay> {
  const at = (command: string) => sequence.findIndex((operation) => operation.command === command)
  const isSent = at('generate') >= 0
  const isForgotten = at('rename') >= 0 && at('rename') < at('repeat key')
  const isShown = at('create chat') >= 0 && at('read history') >= 0
  const isViolated = isSent && isForgotten && isShown
  return { operations: sequence, exchanges: [], violation: isViolated ? violation : undefined }
}

test('shrink removes irrelevant operations and simplifies others', async () => {
  const shrunk = await shrink(operations, { ...limits, replay: forgetful })
  expect(shrunk?.operations).toEqual([
    { command: 'create chat', label: 'o1' },
    { command: 'generate', label: 'o3', chat: 'o1', variant: 'json' },
    { command: 'rename', label: 'o5', chat: 'o1' },
    { command: 'repeat key', label: 'o7', chat: 'o1', turn: 'o3', variant: 'same form' },
    { command: 'read history', label: 'o8', chat: 'o1' },
  ])
})

test('shrink returns undefined if the violation does not recur', async () => {
  const replay = async (operations: readonly Operation[]) => ({
    ...{ operations, exchanges: [], violation: undefined },
  })
  expect(await shrink(operations, { ...limits, replay })).toBeUndefined()
})

test('shrink returns the shortest sequence so far if the budget ends', async () => {
  const shrunk = await shrink(operations, { ...limits, replay: failingAfter(3) })
  expect(shrunk?.violation).toBe(violation)
  expect(shrunk?.operations.length).toBeLessThanOrEqual(operations.length)
})

test('shrink rejects if the budget ends before a violation recurred', async () => {
  const shrunk = shrink(operations, { ...limits, replay: failingAfter(0) })
  await expect(shrunk).rejects.toThrow(BudgetSpentError)
})

test('shrink stays within maxOperations and maxGenerations', async () => {
  const { sequences, replay } = noted()
  await shrink(operations, { violation, replay, maxOperations: 30, maxGenerations: 3 })
  const spent = sequences.flat()
  expect(spent.length).toBeGreaterThan(0)
  expect(spent.length).toBeLessThanOrEqual(30)
  expect(spent.filter(({ command }) => command === 'generate').length).toBeLessThanOrEqual(3)
})

test('shrink removes operations on a removed chat', async () => {
  const { sequences, replay } = noted()
  await shrink(operations, { ...limits, replay })
  const orphans = sequences.flatMap((sequence) => {
    const labels = sequence.map(({ label }) => label)
    return sequence.filter(({ chat }) => chat !== undefined && !labels.includes(chat))
  })
  expect(sequences.length).toBeGreaterThan(5)
  expect(orphans).toEqual([])
})

function noted() {
  const sequences: (readonly Operation[])[] = []
  const replay = async (sequence: readonly Operation[]) => {
    sequences.push(sequence)
    return forgetful(sequence)
  }
  return { sequences, replay }
}

/** A run whose budget is spent after that number of sequences. */
function failingAfter(sequences: number): ShrinkOptions['replay'] {
  let left = sequences
  return async (sequence) => {
    left -= 1
    if (left < 0) throw new BudgetSpentError(100)
    return forgetful(sequence)
  }
}
