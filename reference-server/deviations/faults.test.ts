import { expect, test } from 'vitest'
import { requirementIds } from '../../contract/index.ts'
import { testServer } from '../test-support/server.ts'
import { faults, generatedFaultNamed } from './index.ts'

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
    expect([name, breaks.filter((requirement) => !ids.has(requirement))]).toEqual([name, []])
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
