import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import type { Io } from '../terminal/io.ts'

/** A run under way, as its process reports it to the one that shows it. */
export interface Live {
  /** Report of the run if it ended now; null until there is something to report. */
  readonly report: ConformanceReport | LoadReport | CapacityReport | null
  /** The load run of the current probe of a search. */
  readonly probe?: LoadReport | null
  /** `12/60 scenarios, 1 violated`. */
  readonly text: string
}

export type LiveMessage =
  | { readonly live: Live }
  /** Message of a run that ended without a report. */
  | { readonly failed: string }

/** Set for a process whose progress is shown by the one that started it. */
export const liveVariable = 'CHATGEN_LIVE'

const minIntervalMs = 500
/** A report is made on the thread that also counts what is measured: it gets a twentieth of its time. */
const maxShare = 0.05

/** Reports progress to the parent process; does nothing unless the parent shows it. */
export function liveSender(io: Pick<Io, 'clean' | 'env'>): (make: () => Live) => void {
  if (!isFollowed(io.env)) return () => {}
  let nextAt = 0
  // Stops a run that can no longer be seen or stopped.
  process.once('disconnect', () => process.kill(process.pid, 'SIGINT'))
  return (make) => {
    const startedAt = performance.now()
    if (startedAt < nextAt) return
    send({ live: make() }, io)
    const tookMs = performance.now() - startedAt
    nextAt = startedAt + Math.max(minIntervalMs, tookMs / maxShare)
  }
}

/** Tells the parent process why there is no report. */
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
