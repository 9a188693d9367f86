import type { ConformanceReport, Traffic } from '../../contract/report/conformance.ts'
import { printable } from '../text/escape.ts'
import { count } from '../text/format.ts'

/**
 * What went wrong on the way of the requests, in one sentence: `3 of 1,206 answers were 502; 1 request
 * got no answer; 4 requests were sent again`. Null where nothing did, or where nobody counted.
 */
export function trafficText({ traffic }: Pick<ConformanceReport, 'traffic'>): string | null {
  if (traffic === undefined) return null
  const { unanswered, cut, timeouts, retries } = traffic
  const parts = [
    statusText(traffic),
    unanswered > 0 ? `${count(unanswered, 'request')} got no answer` : null,
    cut > 0 ? `${count(cut, 'answer')} ${cut === 1 ? 'was' : 'were'} cut` : null,
    timeouts > 0 ? `${count(timeouts, 'request')} timed out` : null,
    retries > 0
      ? `${count(retries, 'request')} ${retries === 1 ? 'was' : 'were'} sent again`
      : null,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join('; ')
}

/** For readers that take numbers by name. */
export function trafficNumbers({ traffic }: Pick<ConformanceReport, 'traffic'>): {
  readonly [name: string]: number
} {
  if (traffic === undefined) return {}
  const { answers, statuses, unanswered, cut, timeouts, retries } = traffic
  const serverErrors = Object.entries(statuses).filter(([status]) => status.startsWith('5'))
  return {
    'traffic.answers': answers,
    'traffic.429': statuses['429'] ?? 0,
    'traffic.5xx': serverErrors.reduce((sum, [, times]) => sum + times, 0),
    'traffic.unanswered': unanswered,
    'traffic.cut': cut,
    'traffic.timeouts': timeouts,
    'traffic.retries': retries,
  }
}

function statusText({ answers, statuses }: Traffic): string | null {
  const [first, ...others] = Object.entries(statuses).sort(([a], [b]) => (a < b ? -1 : 1))
  if (first === undefined) return null
  const verb = (times: number) => (times === 1 ? 'was' : 'were')
  const all = answers.toLocaleString('en-US')
  const of = `${first[1]} of ${all} answers ${verb(first[1])} ${first[0]}`
  return [of, ...others.map(([status, times]) => `${times} ${verb(times)} ${status}`)].join(', ')
}

/** How the target was reached, a phrase each; empty for a direct connection. */
export function networkPhrases({ network }: ConformanceReport['target']): readonly string[] {
  if (network === undefined) return []
  const { insecure, httpVersion, proxy, resolve } = network
  return [
    ...(insecure ? ['certificate NOT verified (--insecure)'] : []),
    ...(httpVersion === null ? [] : [`HTTP/${httpVersion === 1 ? '1.1' : '2'} only`]),
    ...(proxy === null ? [] : [`through the proxy ${printable(proxy)}`]),
    ...(resolve.length === 0 ? [] : [`at ${resolve.map(printable).join(', ')} (--resolve)`]),
  ]
}
