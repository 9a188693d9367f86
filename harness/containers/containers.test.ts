import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { awaitReadiness, withoutHeaders } from './readiness.ts'
import { runName, stateOfRun } from './removal.ts'

describe('the name of a run', () => {
  test('of this process is that of a running one', () => {
    expect(stateOfRun(runName())).toBe('running')
  })

  test('of a process that was killed is that of an ended one', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    await once(child, 'spawn')
    const name = runName(child.pid)
    expect(stateOfRun(name)).toBe('running')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(stateOfRun(name)).toBe('ended')
  })

  test('of an earlier process with the same id is that of an ended one', () => {
    const earlier = runName().replace(/\d+$/, '1')
    expect(stateOfRun(earlier)).toBe('ended')
  })

  test('of another machine is not known', () => {
    expect(stateOfRun(`chatgen-run-00000000-${process.pid}-1`)).toBe('elsewhere')
  })

  test.each(['chatgen', 'chatgen-run', 'chatgen-run-mine', 'my-chatgen-run-00000000-1-1'])(
    '%s is not that of a run',
    (name) => {
      expect(stateOfRun(name)).toBeUndefined()
    },
  )
})

test('frames of a log carry their payloads in order', () => {
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
  const isRunning = () => Promise.resolve(true)

  async function served(statuses: readonly number[]) {
    let at = 0
    const server = createServer((_, response) => {
      response.statusCode = statuses[Math.min(at++, statuses.length - 1)] ?? 200
      response.end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    return `http://127.0.0.1:${port}`
  }

  test('comes with the first status below 400 of its path', async () => {
    const baseUrl = await served([503, 503, 204])
    const options = { baseUrl, ready: '/healthz', readyMs: 60_000, signal, isRunning }
    expect(await awaitReadiness(options)).toEqual({ kind: 'ready' })
  })

  test('comes with any answer if no path is named', async () => {
    const baseUrl = await served([404])
    const options = { baseUrl, ready: null, readyMs: 60_000, signal, isRunning }
    expect(await awaitReadiness(options)).toEqual({ kind: 'ready' })
  })

  test('never comes, with the last answer', async () => {
    const baseUrl = await served([503])
    const options = { baseUrl, ready: '/healthz', readyMs: 500, signal, isRunning }
    expect(await awaitReadiness(options)).toEqual({ kind: 'never', last: 'status 503' })
  })

  test('ends with the container', async () => {
    const baseUrl = await served([503])
    const exited = () => Promise.resolve(false)
    const options = { baseUrl, ready: '/', readyMs: 60_000, signal, isRunning: exited }
    expect(await awaitReadiness(options)).toEqual({ kind: 'exited' })
  })

  test('ends with the interruption', async () => {
    const baseUrl = await served([503])
    const interruption = new AbortController()
    const waiting = awaitReadiness({
      baseUrl,
      ready: '/',
      readyMs: 60_000,
      signal: interruption.signal,
      isRunning,
    })
    interruption.abort(new Error('interrupted'))
    await expect(waiting).rejects.toThrow('interrupted')
  })
})
