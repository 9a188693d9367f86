import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import type { Io } from '../terminal/io.ts'

/** A run under way, as its process tells the one that shows it. */
export interface Live {
  /** Report of the run if it ended now; null until there is something to report. */
  readonly report: ConformanceReport | LoadReport | CapacityReport | null
  /** The load run of the present probe of a search. */
  readonly probe?: LoadReport | null
  /** `12/60 scenarios, 1 violated`. */
  readonly text: string
}

export type LiveMessage =
  | { readonly live: Live }
  /** The sentence with which the run ended without a report. */
  | { readonly failed: string }

/** Set for a process whose progress is shown by the one that started it. */
export const liveVariable = 'CHATGEN_LIVE'

const minIntervalMs = 500
/** A report is made on the thread that also counts what is measured: it gets a twentieth of its time. */
const maxShare = 0.05

/** Tells the process that started this one how far it is; does nothing in any other process. */
export function liveSender(io: Pick<Io, 'clean' | 'env'>): (make: () => Live) => void {
  if (!isFollowed(io.env)) return () => {}
  let nextAt = 0
  // A run that nobody can see or stop is stopped.
  process.once('disconnect', () => process.kill(process.pid, 'SIGINT'))
  return (make) => {
    const startedAt = performance.now()
    if (startedAt < nextAt) return
    send({ live: make() }, io)
    const tookMs = performance.now() - startedAt
    nextAt = startedAt + Math.max(minIntervalMs, tookMs / maxShare)
  }
}

/** Tells it why there is no report. */
export function tellFailure(message: string, io: Pick<Io, 'clean' | 'env'>): void {
  if (isFollowed(io.env)) send({ failed: message }, io)
}

function isFollowed(env: Io['env']): boolean {
  return process.send !== undefined && env[liveVariable] !== undefined
}

/** Sends a message as text, without secrets. */
function send(message: LiveMessage, { clean }: Pick<Io, 'clean'>): void {
  if (process.connected) process.send?.(clean(JSON.stringify(message)), undefined, {}, () => {})
}
