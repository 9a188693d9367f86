import type { ConformanceReport, Traffic } from '../../contract/report/conformance.ts'
import { printable } from '../text/escape.ts'
import { count } from '../text/format.ts'

/**
 * Transport errors and retries in one sentence: `3 of 1,206 responses were 502; 1 request got no response;
 * 4 requests were retried`. Null without any.
 */
export function trafficText({ traffic }: Pick<ConformanceReport, 'traffic'>): string | null {
  const { unanswered, cut, timeouts, retries } = traffic
  const parts = [
    statusText(traffic),
    unanswered > 0 ? `${count(unanswered, 'request')} got no response` : null,
    cut > 0 ? `${count(cut, 'response')} ${cut === 1 ? 'was' : 'were'} cut off` : null,
    timeouts > 0 ? `${count(timeouts, 'request')} timed out` : null,
    retries > 0 ? `${count(retries, 'request')} ${retries === 1 ? 'was' : 'were'} retried` : null,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join('; ')
}

/** The counts as named properties. */
export function trafficNumbers({ traffic }: Pick<ConformanceReport, 'traffic'>): {
  readonly [name: string]: number
} {
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
  const of = `${first[1]} of ${all} responses ${verb(first[1])} ${first[0]}`
  return [of, ...others.map(([status, times]) => `${times} ${verb(times)} ${status}`)].join(', ')
}

/** Endpoints and network settings of the run, one phrase each; empty for a direct connection to one. */
export function networkPhrases({
  network,
  endpoints = [],
}: ConformanceReport['target']): readonly string[] {
  const spread = endpoints.map(
    ({ name, baseUrl, requests }) =>
      `endpoint ${name} ${printable(baseUrl)}, ${count(requests, 'request')}`,
  )
  return [...spread, ...settingPhrases(network)]
}

function settingPhrases(network: ConformanceReport['target']['network']): readonly string[] {
  if (network === undefined) return []
  const { insecure, httpVersion, proxy, resolve } = network
  return [
    ...(insecure ? ['certificate NOT verified (--insecure)'] : []),
    ...(httpVersion === null ? [] : [`HTTP/${httpVersion === 1 ? '1.1' : '2'} only`]),
    ...(proxy === null ? [] : [`via proxy ${printable(proxy)}`]),
    ...(resolve.length === 0 ? [] : [`at ${resolve.map(printable).join(', ')} (--resolve)`]),
  ]
}
