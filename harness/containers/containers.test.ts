import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { urlOf } from '../client/test-support/listen-on-loopback.ts'
import { awaitReadiness, runName, stateOfRun, withoutHeaders } from './engine.ts'

describe('stateOfRun', () => {
  test('is running for this process', () => {
    expect(stateOfRun(runName())).toBe('running')
  })

  test('is ended for a killed process', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    await once(child, 'spawn')
    const name = runName(child.pid)
    expect(stateOfRun(name)).toBe('running')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(stateOfRun(name)).toBe('ended')
  })

  test('is ended for an earlier process with the same id', () => {
    const earlier = runName().replace(/\d+$/, '1')
    expect(stateOfRun(earlier)).toBe('ended')
  })

  test('is elsewhere for another machine', () => {
    expect(stateOfRun(`chatgen-run-00000000-${process.pid}-1`)).toBe('elsewhere')
  })

  test.each(['chatgen', 'chatgen-run', 'chatgen-run-mine', 'my-chatgen-run-00000000-1-1'])(
    'is undefined for %s',
    (name) => {
      expect(stateOfRun(name)).toBeUndefined()
    },
  )
})

test('withoutHeaders joins the payloads of log frames in order', () => {
  const frame = (stream: number, text: string) => {
    const payload = Buffer.from(text)
    const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0])
    header.writeUInt32BE(payload.length, 4)
    return Buffer.concat([header, payload])
  }
  const piece = fc.tuple(fc.constantFrom(1, 2), fc.string({ unit: 'binary', maxLength: 8 }))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const bytes = Buffer.concat(pieces.map(([stream, text]) => frame(stream, text)))
      expect(withoutHeaders(bytes).toString()).toBe(pieces.map(([, text]) => text).join(''))
    }),
  )
})

describe('readiness', () => {
  const signal = new AbortController().signal

  async function served(statuses: readonly number[]) {
    let at = 0
    const answer: RequestListener = (_, response) =>
      response.writeHead(statuses[Math.min(at++, statuses.length - 1)] ?? 200).end()
    return urlOf(createServer(answer))
  }

  const long = { ready: '/healthz', readyMs: 60_000, signal, isRunning: async () => true }

  test.each([
    ['is reached at the first status below 400', [503, 503, 204], {}, { kind: 'ready' }],
    ['is reached at any response without a path', [404], { ready: null }, { kind: 'ready' }],
    [
      'is never reached within its timeout',
      [503],
      { readyMs: 500 },
      { kind: 'never', last: 'status 503' },
    ],
    ['ends with the container', [503], { isRunning: async () => false }, { kind: 'exited' }],
  ])('%s', async (_, statuses, options, readiness) => {
    const baseUrl = await served(statuses)
    expect(await awaitReadiness({ ...long, baseUrl, ...options })).toEqual(readiness)
  })

  test('ends if it is interrupted', async () => {
    const baseUrl = await served([503])
    const interruption = new AbortController()
    const waiting = awaitReadiness({ ...long, baseUrl, signal: interruption.signal })
    interruption.abort(new Error('interrupted'))
    await expect(waiting).rejects.toThrow('interrupted')
  })
})
