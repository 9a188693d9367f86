import { describe, expect, test } from 'vitest'
import { dialects, faults } from '../../reference-server/deviations/index.ts'
import { type ReferenceServerOptions, startReferenceServer } from '../../reference-server/index.ts'
import { seededDraw } from '../../reference-server/runtime/random.ts'
import { checkHistory } from './client-history.ts'
import { HistoryClient } from './history-client.ts'

const keys = ['sk-history-1', 'sk-history-2', 'sk-history-3'] as const
const operationsPerClient = 80

/** Contradictions in the histories of three clients of a server. */
async function contradictions(options: ReferenceServerOptions): Promise<readonly string[]> {
  const server = await startReferenceServer({
    pace: { ttftMs: 1, gapMs: 0, jitter: 0 },
    ...options,
    keys,
  })
  try {
    const clients = keys.map(
      (key) =>
        new HistoryClient({
          urls: () => [server.url],
          key,
          name: key,
          draw: seededDraw(1, key),
        }),
    )
    await Promise.all(
      clients.map(async (client) => {
        for (let count = 0; count < operationsPerClient; count += 1) await client.sendNext()
        await client.readAll()
      }),
    )
    return clients.flatMap(({ history }) => checkHistory(history))
  } finally {
    await server.close()
  }
}

test('the history of a correct server contradicts nothing', async () => {
  expect(await contradictions({})).toEqual([])
})

const legalServers = [
  'history-ends-on-an-empty-page',
  'history-capped-at-ten',
  'lists-capped-at-ten',
  'delete-202',
]

test.each(legalServers)('nor does that of the dialect %s', async (name) => {
  const dialect = dialects.find((each) => each.name === name)
  if (dialect === undefined) throw new Error(`no dialect ${name}`)
  expect(await contradictions({ patch: dialect.patch })).toEqual([])
})

describe('a server is accused that', () => {
  test.each([
    ['loses turns', 'v3-history-loses-a-last-row-alone', 'has no answer in the history'],
    ['loses answers', 'v3-history-without-answers', 'has no answer in the history'],
    ['loses pages', 'v3-history-ends-after-two-pages', 'is lost'],
    ['loses all pages but one', 'v3-history-one-page-only', 'is lost'],
    ['loses chats from the list', 'chat-cursor-skips-one', 'the list of chats lacks'],
    ['loses favorites', 'favorite-add-forgotten', 'the list of favorites lacks'],
    ['doubles turns', 'v3-idempotency-forgets-answers', 'has the answers'],
    ['doubles raced turns', 'v3-idempotency-of-finished-answers-alone', 'has the answers'],
    ['doubles replayed turns', 'v3-idempotency-stores-replayed-answers', 'has two answers'],
    ['doubles rows', 'v3-history-repeats-a-row-at-each-border', 'is there twice'],
    ['forgets older keys', 'v3-idempotency-latest-key-alone', 'has the answers'],
    ['reorders turns', 'v3-history-order-of-each-page', 'stands before'],
    ['mixes chats', 'v3-history-mixes-chats', 'which was not sent'],
    ['keeps deleted chats', 'chat-delete-forgotten', 'is there after its deletion'],
    ['lists deleted chats', 'chat-delete-keeps-listing', 'still has'],
    ['keeps deleted favorites', 'chat-deleted-stays-favorite', 'still has'],
    ['keeps removed favorites', 'favorite-remove-forgotten', 'the list of favorites still has'],
  ])('%s: %s', async (_, name, problem) => {
    const fault = faults.find((each) => each.name === name)
    if (fault === undefined) throw new Error(`no fault ${name}`)
    const problems = await contradictions({ patch: fault.patch })
    expect(problems).toContainEqual(expect.stringContaining(problem))
  })
})
