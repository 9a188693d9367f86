/** Options and report of a bench. */
import type { LoadTarget } from '../target.ts'
import type { BenchCase, BenchPrompt } from './cases.ts'
import type { BenchFigures, BenchRun } from './measure.ts'

export interface BenchOptions
  extends Pick<BenchRun, 'connections' | 'seconds' | 'timeoutSeconds' | 'signal'> {
  readonly target: LoadTarget
  readonly prompt: BenchPrompt
  readonly cases: readonly BenchCase[]
  /** A chat of v3 generate is left after so many turns. */
  readonly turns: number
  /** True to bench a bare server that writes the same bytes as well. */
  readonly baseline: boolean
  readonly onProgress?: (what: string) => void
}

export interface BenchRow {
  readonly case: string
  readonly target: BenchFigures
  readonly baseline: BenchFigures | null
  /** Answers per second of the target to those of the bare server; null without a baseline. */
  readonly ratio: number | null
  /** Null for what is not stored. */
  readonly chats: ChatsUsed | null
}

export interface ChatsUsed {
  /** Number of turns after which a connection goes on in a fresh chat. */
  readonly turns: number
  readonly made: number
  /** Number of times that no fresh chat was left and a chat kept growing. */
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
  /** Cases that the target refused or broke off when they were tried. */
  readonly notMeasured: readonly {
    readonly case: string
    readonly status: number
    readonly why: string
  }[]
  /** Cases in which it was the client that was measured, of the target or of the bare server. */
  readonly clientBound: readonly string[]
  readonly interrupted: boolean
}

/**
 * Share above which the event loop of the client has no time left: throughput is that of the client, and
 * latency holds the time that answers waited for it.
 */
export const maxClientUtilization = 0.95
