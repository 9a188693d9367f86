/** Options and report of a bench. */
import type { LoadTarget } from '../target.ts'
import type { BenchCase, BenchPrompt } from './cases.ts'
import type { BenchFigures, BenchRun } from './measure.ts'

export interface BenchOptions
  extends Pick<BenchRun, 'connections' | 'seconds' | 'timeoutSeconds' | 'signal'> {
  readonly target: LoadTarget
  readonly prompt: BenchPrompt
  readonly cases: readonly BenchCase[]
  /** Number of turns of v3 generate in one chat. */
  readonly turns: number
  /** True to also bench a bare server that writes the same bytes. */
  readonly baseline: boolean
  readonly onProgress?: (what: string) => void
}

export interface BenchRow {
  readonly case: string
  readonly target: BenchFigures
  readonly baseline: BenchFigures | null
  /** Answers per second of the target relative to those of the bare server; null without a baseline. */
  readonly ratio: number | null
  /** Null for requests that are not stored. */
  readonly chats: ChatsUsed | null
}

export interface ChatsUsed {
  /** Number of turns after which a connection switches to a fresh chat. */
  readonly turns: number
  readonly made: number
  /** Number of times that a chat kept growing because no fresh one was left. */
  readonly exhausted: number
  /** Chats that could not be deleted. */
  readonly leftBehind: number
}

export interface BenchReport {
  readonly kind: 'bench-report'
  readonly schemaVersion: 1
  readonly target: { readonly baseUrl: string }
  readonly startedAt: string
  readonly connections: number
  readonly seconds: number
  readonly maxTokens: number
  readonly rows: readonly BenchRow[]
  /** Cases that the target refused, or whose answer it cut. */
  readonly notMeasured: readonly {
    readonly case: string
    readonly status: number
    readonly why: string
  }[]
  /** Cases in which the client was the bottleneck, against the target or the bare server. */
  readonly clientBound: readonly string[]
  readonly interrupted: boolean
}

/**
 * Utilization above which the event loop of the client is saturated: throughput is that of the client, and
 * latencies include the time that answers waited for it.
 */
export const maxClientUtilization = 0.95
