import type { Disturbances, ErrorRow } from '../../../contract/report/load.ts'

/** What kept requests from their answer, by who is to be asked about it. A load sends each once. */
export function disturbancesOf(errors: readonly ErrorRow[]): Disturbances {
  const number = (is: (row: ErrorRow) => boolean) =>
    errors.filter(is).reduce((sum, { count }) => sum + count, 0)
  const isServerError = ({ kind, detail }: ErrorRow) => kind === 'status' && /^5\d\d$/.test(detail)
  return {
    tooManyRequests: number(({ kind }) => kind === 'shed'),
    serverErrors: number(isServerError),
    otherErrors: number((row) => row.kind === 'status' && !isServerError(row)),
    errorEvents: number(({ kind }) => kind === 'in-band-error'),
    unanswered: number((row) => row.kind === 'connect' && !isDropped(row) && !isUnreadable(row)),
    droppedConnections: number(isDropped),
    unreadable: number(isUnreadable),
    timeouts: number(({ kind }) => kind === 'timeout'),
    retries: 0,
  }
}

/** The request was written; the connection ended before its answer did. */
function isDropped({ kind, detail }: ErrorRow): boolean {
  if (kind === 'connect') return detail.endsWith(' before headers')
  return (
    kind === 'truncated' && (detail === 'the connection was cut' || detail.startsWith('HTTP/2 '))
  )
}

/** Bytes came that are no answer of HTTP, or that have no end. */
function isUnreadable({ kind, detail }: ErrorRow): boolean {
  return kind === 'limit' || (kind === 'connect' && detail.startsWith('not an HTTP'))
}
