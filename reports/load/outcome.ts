import { printable } from '../text/escape.ts'
import { count, joinPhrases, percent, seconds } from '../text/format.ts'
import { refusalKinds } from './model/integrity.ts'
import type { ArrivalRow, LoadReport } from './model/report.ts'

/** Wording of the outcome of a load run, for every report format. */

/** Summary of the run in one line, without the outcome itself. */
export function outcomeText(report: LoadReport): string {
  const { faults, goodput, generator, partial, errors } = report
  const { share, due } = goodput
  const cut = errors.reduce((sum, row) => sum + (row.kind === 'truncated' ? row.count : 0), 0)
  return joinPhrases([
    sloText(report),
    refusedText(report),
    integrityText(report),
    // Reported in the first line, even if allowed.
    cut > 0 && `${count(cut, 'response')} truncated`,
    share === null
      ? 'nothing was measured'
      : `goodput ${percent(share)} of ${count(due, 'due request')}`,
    `generator ${generator.verdict}`,
    partial && partialText(partial),
    faults.length > 0 && count(faults.length, 'internal error'),
  ])
}

/** Address of the target, and the number of its other endpoints. */
export function targetText({ baseUrl, endpoints = [] }: LoadReport['target']): string {
  const others = endpoints.length - 1
  return others > 0 ? `${baseUrl} and ${count(others, 'more endpoint')}` : baseUrl
}

function sloText({ slo: rows }: Pick<LoadReport, 'slo'>): string {
  const slo = rows.filter(({ implied }) => implied !== true)
  if (slo.length === 0) return 'built-in SLOs only'
  const number = (verdict: string) => slo.filter((row) => row.verdict === verdict).length
  const others = (['missed', 'undecided'] as const)
    .filter((verdict) => number(verdict) > 0)
    .map((verdict) => `, ${number(verdict)} ${verdict}`)
  return `${number('met')} of ${count(slo.length, 'SLO')} met${others.join('')}`
}

function integrityText({ integrity }: Pick<LoadReport, 'integrity'>): string {
  const { streams, bodies, findings } = integrity
  const expected = findings.filter(({ level }) => level === 'expected')
  const required = findings.length - expected.length
  const judged = `${count(streams, 'stream')} and ${bodies} ${bodies === 1 ? 'body' : 'bodies'} judged`
  const violated = required === 0 ? 'no required requirement' : count(required, 'requirement')
  if (expected.length === 0) {
    return `${judged}, ${required === 0 ? 'no requirement' : violated} violated`
  }
  const worst = expected.reduce((max, row) => (row.rate > max.rate ? row : max))
  const others = expected.length === 1 ? '' : ` and ${count(expected.length - 1, 'other')}`
  return `${judged}, ${violated} violated, but expected ${worst.id} (${worst.broken} of ${worst.of})${others}`
}

/** `67 % of requests refused (503)`; empty if none were. */
function refusedText({ errors }: Pick<LoadReport, 'errors'>): string {
  const refusals = errors.filter(({ kind }) => refusalKinds.includes(kind))
  const share = refusals.reduce((sum, row) => sum + row.share, 0)
  if (share === 0) return ''
  const details = refusals.map(({ kind, detail }) =>
    kind === 'in-band-error' ? 'error event' : printable(detail),
  )
  const distinct = [...new Set(details)]
  const rest = distinct.length > 3 ? ', …' : ''
  // `67 %`, `1.03 %`; never rounded up to 100 %.
  const rounded = share >= 0.1 && share <= 0.99 ? Number(share.toFixed(2)) : share
  return `${percent(rounded)} of requests refused (${distinct.slice(0, 3).join(', ')}${rest})`
}

export function partialText({ of, missing }: NonNullable<LoadReport['partial']>): string {
  return `partial: ${missing.length} of ${count(of, 'shard')} missing (${missing.join(', ')})`
}

/** Phrases on the plan and the measured window, shared by the formats of a load report. */

/** `poisson, 20/s`. */
export function arrivalText(arrival: ArrivalRow): string {
  switch (arrival.kind) {
    case 'ramp':
      return `${arrival.process} ramp from ${arrival.from}/s to ${arrival.to}/s over ${arrival.overMs / 1000} s`
    case 'steps':
      return `${arrival.process} steps ${arrival.steps.map(({ perSecond, forMs }) => `${perSecond}/s for ${forMs / 1000} s`).join(', ')}`
    case 'closed':
      return `closed loop of ${count(arrival.concurrency, 'client')}`
    case 'trace':
      return `replay of ${arrival.file}`
    default:
      return `${arrival.kind}, ${arrival.perSecond}/s`
  }
}

/** `poisson, 20/s, for 30 s; mix v3; seed x; shard 1 of 4; plan 0123456789ab`. */
export function planText({ plan, seed }: LoadReport): string {
  const { arrival, durationMs, mix, shard, hash } = plan
  return joinPhrases([
    `${arrivalText(arrival)}, for ${seconds(durationMs)}`,
    `mix ${mix}`,
    `seed ${seed}`,
    shard && `shard ${shard.index}/${shard.of}`,
    `plan ${hash.slice(0, 12)}`,
  ])
}

export function windowText({ window }: Pick<LoadReport, 'window'>): string {
  const { fromMs, toMs, method, steady } = window
  return `${seconds(fromMs)} to ${seconds(toMs)} of the run (${method}); ${steady.verdict}: ${steady.message}`
}
