import type { Exchange } from '../../../contract/index.ts'
import type { Traffic } from '../run-setup.ts'

/** What came of the requests of a run after one more exchange. */
export function addExchangeTraffic(
  before: Traffic,
  { ending, response, labels }: Exchange,
): Traffic {
  const status = response?.status
  const told = status === 429 || (status !== undefined && status >= 500)
  return {
    answers: before.answers + Number(response !== null),
    statuses: told
      ? { ...before.statuses, [status]: (before.statuses[status] ?? 0) + 1 }
      : before.statuses,
    unanswered: before.unanswered + Number(response === null && ending.kind === 'unreachable'),
    cut: before.cut + Number(ending.kind === 'cut'),
    timeouts: before.timeouts + Number(ending.kind === 'timeout'),
    retries: before.retries + Number(labels.attempt > 0),
  }
}
