import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { mixEntry } from '../plan/mix.ts'
import { failureKinds, type RequestOutcome, type RequestRecord } from '../record.ts'
import { drive } from '../test-support/drive.ts'
import { recordOf } from '../test-support/records.ts'
import { TransactionStats } from './transaction-stats.ts'

vi.setConfig({ testTimeout: 60_000 })

const entry = mixEntry({ name: 'chat', kind: 'v3-stream' })
const outcomes = fc
  .constantFrom('ok' as const, 'open' as const, ...failureKinds)
  .map((kind): RequestOutcome => {
    return kind === 'ok' || kind === 'open'
      ? { kind }
      : { kind, counter: 'otherErrors', detail: '' }
  })

/** Ends of a transaction, one for each of its requests. */
type Ends = readonly RequestOutcome[]
const hasFailed = (ends: Ends) => ends.some((outcome) => 'detail' in outcome)
const isOpen = (ends: Ends) => ends.some(({ kind }) => kind === 'open')

function recordsOf(ends: Ends, index: number): readonly RequestRecord[] {
  return ends.map((outcome, step) => {
    const before = ends.slice(0, step)
    const earlier: RequestRecord['earlier'] = hasFailed(before)
      ? 'failed'
      : isOpen(before)
        ? 'open'
        : undefined
    const record = { index, step, outcome, ...(earlier === undefined ? {} : { earlier }) }
    return recordOf({ record })
  })
}

function countsOf(records: Iterable<RequestRecord>) {
  const stats = new TransactionStats()
  for (const record of records) stats.add(record)
  const [row] = stats.rows([entry], new Map())
  return (
    row && { planned: row.planned, completed: row.completed, failed: row.failed, open: row.open }
  )
}

test('a transaction counts once: as failed, as open, or as completed', () => {
  fc.assert(
    fc.property(fc.array(fc.array(outcomes, { minLength: 1, maxLength: 4 })), (all) => {
      const failed = all.filter(hasFailed).length
      const open = all.filter(
        (transaction) => !hasFailed(transaction) && isOpen(transaction),
      ).length
      const planned = all.length
      expect(countsOf(all.flatMap(recordsOf))).toEqual({
        ...{ planned, failed, open },
        completed: planned - failed - open,
      })
    }),
  )
})

test('a race whose requests both fail is one failed transaction', async () => {
  // A chat can be created, nothing else works.
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/api/v3/chat') {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ id: crypto.randomUUID(), name: 'chat' }))
      } else {
        request.socket.destroy()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const records = await drive({
    ...{ url: `http://127.0.0.1:${address.port}`, key: 'test-key', kind: 'v3-stream', races: 1 },
    ...{ connections: 10, perSecond: 10, seconds: 0.5, drainSeconds: 10 },
  })
  const failures = records.filter(({ outcome }) => 'detail' in outcome)
  const transactions = new Set(failures.map(({ index }) => index)).size
  expect(failures.length).toBe(2 * transactions)
  const own = records.map((record) => ({ ...record, transaction: entry.name }))
  expect(countsOf(own)).toMatchObject({ failed: transactions, open: 0, completed: 0 })
})

test('a million failures take no memory', () => {
  const record = recordOf({
    record: { outcome: { kind: 'connect', counter: 'otherErrors', detail: 'ECONNREFUSED' } },
  })
  const stats = new TransactionStats()
  const before = retainedBytes()
  for (let index = 0; index < 1e6; index += 1) stats.add({ ...record, index })
  expect(retainedBytes() - before).toBeLessThan(10e6)
  expect(stats.rows([entry], new Map())).toMatchObject([{ planned: 1e6, failed: 1e6, open: 0 }])
})

function retainedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
