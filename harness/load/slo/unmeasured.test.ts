import { describe, expect, test } from 'vitest'
import { type SentCounts, unmeasured } from './implied.ts'

const request = (operation: string, count: number) =>
  ({ operation, form: 'json', count, completed: count, failed: 0 }) as const
const sent: SentCounts = {
  planned: 20,
  goodput: { good: 20, due: 20, share: 1, perSecond: 1 },
  open: 0,
  transactions: [{ name: 'v3', planned: 20, requests: [request('v3.generate', 20)] }],
}
const none = { good: 0, due: 0, share: null, perSecond: 0 }
const messagesOf = (more: Partial<SentCounts>) =>
  unmeasured({ ...sent, ...more }).map(({ message }) => message)

test('a run that measured what it sent has no row', () => {
  expect(unmeasured(sent)).toEqual([])
  const failed = { ...none, due: 20, share: 0 }
  expect(unmeasured({ ...sent, goodput: failed })).toEqual([])
})

describe('a run that measured nothing is undecided, and says why', () => {
  test.each<[string, Partial<SentCounts>, string]>([
    ['an empty plan', { planned: 0, transactions: [] }, 'The plan holds no request'],
    ['all open', { open: 20 }, '20 requests were still open at the end'],
    ['all before the window', {}, 'No request of a user was due in the measured window'],
    ['none sent', { planned: null, transactions: [] }, 'No request was sent.'],
  ])('%s', (_, more, words) => {
    const rows = unmeasured({ ...sent, goodput: none, ...more })
    expect(rows).toMatchObject([{ verdict: 'undecided', implied: true }])
    expect(rows[0]?.message).toContain(words)
  })

  test('of one kind of transaction, beside another that was measured', () => {
    const transactions = [
      ...sent.transactions,
      { name: 'chats', planned: 7, requests: [request('v3.createChat', 7)] },
      { name: 'rare', planned: 0, requests: [] },
    ]
    expect(messagesOf({ transactions })).toEqual([
      'Nothing was measured. None of 7 transactions chats got beyond creating its chat.',
    ])
  })
})
