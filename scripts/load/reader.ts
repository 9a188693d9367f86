/** Options and result of every compared reader. */

import type { Kind } from '../../harness/load/plan/mix.ts'
import type { Distribution } from '../../harness/load/plan/random.ts'

export interface ReaderOptions {
  readonly url: string
  readonly key: string
  readonly kind: Extract<Kind, 'openai-stream' | 'one-shot-stream'>
  /** Tokens of an answer. */
  readonly tokens: number
  /** Requests in flight at any time. */
  readonly streams: number
  /** Duration of a stream, milliseconds: the first requests start evenly over it. */
  readonly streamMs: number
  /** Time before the window in which CPU and lags are counted. */
  readonly warmUpMs: number
  readonly windowMs: number
}

export interface ReaderResult {
  /** Monotonic nanoseconds of the machine. */
  readonly window: readonly [from: number, to: number]
  /** CPU of the process within the window, microseconds. */
  readonly cpuUs: number
  readonly streams: number
  readonly errors: Readonly<Record<string, number>>
  /** Own stamp minus the server's for some of the reads within the window, nanoseconds. */
  readonly lagsNs: readonly number[]
}

/** Interval of the reads that are compared with the stamp of the server. */
export const lagEvery = 5

export interface HttpRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const constant = (value: number): Distribution => ({ kind: 'constant', value })

/** The request that all readers but the engine send, with stamps. */
export function requestOf({ key, kind, tokens }: ReaderOptions): HttpRequest {
  const text = `Hi [[tokens=${tokens}]]`
  const compatible = kind === 'openai-stream'
  return {
    path: compatible ? '/api/openai/chat/completions' : '/api/v3/message/one-shot',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-chatgen-stamps': '1',
    },
    body: JSON.stringify(
      compatible
        ? { model: 'SVC-Main', stream: true, messages: [{ role: 'user', content: text }] }
        : { model_id: 'svc-main-model', stream: true, input: text },
    ),
  }
}

const stampField = Buffer.from(': sent ')

/** The lag of a read that came `at`; undefined if it brought no stamp. */
export function lagOf(bytes: Buffer, at: bigint): number | undefined {
  const found = bytes.lastIndexOf(stampField)
  const end = bytes.indexOf(10, found)
  if (found < 0 || end < 0) return undefined
  return Number(at - BigInt(bytes.toString('latin1', found + stampField.length, end)))
}

/** Counts within the window, for any reader. */
export class Window {
  readonly lagsNs: number[] = []
  readonly errors: Record<string, number> = {}
  streams = 0
  readonly fromNs: bigint
  readonly toNs: bigint
  #reads = 0
  #cpuAtStart: NodeJS.CpuUsage | undefined
  #cpuUs = 0

  constructor({ warmUpMs, windowMs }: ReaderOptions) {
    const now = process.hrtime.bigint()
    this.fromNs = now + BigInt(warmUpMs) * 1_000_000n
    this.toNs = this.fromNs + BigInt(windowMs) * 1_000_000n
    setTimeout(() => {
      this.#cpuAtStart = process.cpuUsage()
    }, warmUpMs)
    setTimeout(() => {
      const { user, system } = process.cpuUsage(this.#cpuAtStart)
      this.#cpuUs = user + system
    }, warmUpMs + windowMs)
  }

  get over(): boolean {
    return process.hrtime.bigint() >= this.toNs
  }

  read(bytes: Buffer, at: bigint): void {
    this.#reads += 1
    if (this.#reads % lagEvery !== 0 || at < this.fromNs || at >= this.toNs) return
    const lag = lagOf(bytes, at)
    if (lag !== undefined) this.lagsNs.push(lag)
  }

  error(what: string): void {
    this.errors[what] = (this.errors[what] ?? 0) + 1
  }

  result(): ReaderResult {
    const { fromNs, toNs, streams, errors, lagsNs } = this
    return { window: [Number(fromNs), Number(toNs)], cpuUs: this.#cpuUs, streams, errors, lagsNs }
  }
}
