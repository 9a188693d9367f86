import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from './removal.ts'

const pollMs = 200
const answerMs = 5000

export interface ReadinessOptions {
  readonly baseUrl: string
  /** Path that answers with a status below 400 when the service is ready; null: any answer of `/`. */
  readonly ready: string | null
  readonly readyMs: number
  readonly signal: AbortSignal
  /** False if the container has exited. */
  readonly isRunning: () => Promise<boolean>
}

export type Readiness =
  | { readonly kind: 'ready' }
  | { readonly kind: 'exited' }
  /** @property last the last answer, such as `status 503`; `no answer` without one */
  | { readonly kind: 'never'; readonly last: string }

/** Requests the path until the service is ready. @throws the reason of the signal if it is aborted */
export async function awaitReadiness({
  baseUrl,
  ready,
  readyMs,
  signal,
  isRunning,
}: ReadinessOptions): Promise<Readiness> {
  const until = performance.now() + readyMs
  let last = 'no answer'
  while (performance.now() < until) {
    signal.throwIfAborted()
    if (!(await isRunning())) return { kind: 'exited' }
    const status = await statusOf(`${baseUrl}${ready ?? '/'}`, signal)
    if (status !== null) {
      if (ready === null || status < 400) return { kind: 'ready' }
      last = `status ${status}`
    }
    await delay(pollMs, undefined, { signal }).catch(() => {})
  }
  signal.throwIfAborted()
  return { kind: 'never', last }
}

async function statusOf(url: string, signal: AbortSignal): Promise<number | null> {
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    const response = await fetch(url, { signal: limited, redirect: 'manual' })
    await response.body?.cancel()
    return response.status
  } catch {
    return null
  }
}

const shownLines = 20
const maxLineLength = 1000

/** The last lines that a container wrote to its standard output and standard error. */
export async function lastLines(api: Engine['api'], id: string): Promise<readonly string[]> {
  const container = api.getContainer(id)
  const { Config } = await container.inspect()
  const bytes = await container.logs({
    follow: false,
    stdout: true,
    stderr: true,
    tail: shownLines,
  })
  const text = (Config.Tty ? bytes : withoutHeaders(bytes)).toString('utf8')
  return text
    .split(/\r?\n/)
    .map((line) => line.trimEnd().slice(0, maxLineLength))
    .filter((line) => line !== '')
    .slice(-shownLines)
}

/**
 * The engine frames the output of a container without a terminal: a header of 8 bytes, the last four of
 * them the length of the payload, big-endian (Docker Engine API, ContainerAttach).
 */
export function withoutHeaders(bytes: Buffer): Buffer {
  const payloads: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4)
    payloads.push(bytes.subarray(at + 8, end))
    at = end
  }
  return Buffer.concat(payloads)
}
