import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { rawConversation } from '../test-support/conversation.ts'
import { compose, dialects, faults } from './index.ts'

interface Apart {
  readonly answers: readonly string[]
  /** URLs of the modules that the process loaded. */
  readonly loaded: readonly string[]
}

test('with none chosen, every byte is that of a server without the folder', async () => {
  const { answers, loaded } = await conversationApart()
  expect(loaded.filter((url) => url.includes('/reference-server/')).length).toBeGreaterThan(50)
  expect(loaded.filter((url) => url.includes('/deviations/'))).toEqual([])
  expect(await rawConversation(compose([]))).toEqual(answers)
}, 60_000)

test('the conversation has answers of every kind', async () => {
  const answers = await rawConversation()
  const statuses = answers.map((answer) => Number(answer.slice(9, 12)))
  expect(Object.keys(Object.groupBy(statuses, String))).toEqual(
    expect.arrayContaining(['200', '201', '204', '400', '401', '404', '409']),
  )
  expect(answers.filter((answer) => answer.includes('event: response.completed'))).toHaveLength(2)
  expect(answers.filter((answer) => answer.includes('data: [DONE]'))).toHaveLength(1)
})

test.each([
  ['a fault', faults.find(({ name }) => name === 'stream-completed-twice')],
  ['a dialect', dialects.find(({ name }) => name === 'line-ends-crlf')],
])('%s shows in the bytes', async (_, deviation) => {
  if (deviation === undefined) throw new Error('no such deviation')
  expect(await rawConversation(deviation.patch)).not.toEqual(await rawConversation())
})

async function conversationApart(): Promise<Apart> {
  const file = new URL('../test-support/conversation-process.ts', import.meta.url)
  const child = fork(fileURLToPath(file))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process ended with ${code} and told nothing`)
  })
  const [apart] = await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  return apart as Apart
}
