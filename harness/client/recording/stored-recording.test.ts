import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Exchange, restoreExchanges, storedPieces } from '../../../contract/index.ts'
import { StoredRecording } from './stored-recording.ts'

const folder = mkdtempSync(join(tmpdir(), 'chatgen-recording-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Lines that end before, on and behind the border of a block of one MiB. */
const bodies = [10, 1 << 20, (1 << 20) - 500, 3 << 20, 1, 700_000].map((length, at) =>
  Buffer.alloc(length, at === 3 ? 0 : `é${at}`),
)
const exchanges = bodies.map(exchangeOf)
const text = exchanges.map((exchange) => [...storedPieces(exchange)].join('')).join('')

describe('a recording on disk', () => {
  test('gives by id what was written, in the order of the file', () => {
    const recording = new StoredRecording(stored(text))
    expect(recording.size).toBe(exchanges.length)
    expect([...recording.keys()]).toEqual(exchanges.map(({ id }) => id))
    for (const exchange of exchanges) {
      expect(recording.get(exchange.id)).toEqual(exchange)
      expect(recording.has(exchange.id)).toBe(true)
      const { method, url } = exchange.request
      expect(recording.requestLine(exchange.id)).toBe(`${method} ${url}`)
    }
    expect(recording.get('x99')).toBeUndefined()
    expect(recording.lost).toBe(0)
  })

  test('reads whatever reads the whole text', () => {
    expect([...new StoredRecording(stored(text)).values()]).toEqual(
      restoreExchanges(text).exchanges,
    )
  })

  test.each([
    ['a line that is cut', text.slice(0, -40), 1],
    ['a line that is none of ours', `{"a":1}\n\nno JSON\n${text}`, 2],
    ['a line that is cut in its id', `${text}{"id":"x`, 1],
    ['nothing at all', '', 0],
  ])('counts what is lost: %s', (_, content, lost) => {
    const recording = new StoredRecording(stored(content))
    expect(recording.lost).toBe(lost)
    expect(recording.lost).toBe(restoreExchanges(content).lost)
    expect([...recording].map(([id]) => id)).toEqual(
      restoreExchanges(content).exchanges.map(({ id }) => id),
    )
  })
})

test('a body of control characters is written as base64, and not as six characters each', () => {
  const zeros = exchangeOf(Buffer.alloc(100_000), 1)
  expect([...storedPieces(zeros)].join('').length).toBeLessThan(150_000)
})

function stored(content: string): string {
  const file = join(folder, `${Math.random()}.ndjson`)
  writeFileSync(file, content)
  return file
}

function exchangeOf(body: Buffer, at: number): Exchange {
  return {
    id: `x${at + 1}`,
    labels: { scenario: 'a', ordinal: at + 1, attempt: 0, role: 'act' },
    startedAt: '2026-01-01T00:00:00.000Z',
    request: { method: 'GET', url: 'http://localhost/', headers: [['a', 'b']], body: null },
    response:
      at === 4
        ? null
        : {
            status: 200,
            headers: [],
            headersAtMs: 1,
            chunks: [
              { atMs: 1, bytes: new Uint8Array(body) },
              { atMs: 2, bytes: new Uint8Array([0xff]) },
            ],
          },
    events: [{ atMs: 1, name: null, data: 'é' }],
    ending: { kind: 'complete', atMs: 2 },
  }
}
