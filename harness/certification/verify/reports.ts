import { isDeepStrictEqual } from 'node:util'
import type { Exchange, Header } from '../../../contract/index.ts'
import type { ConformanceReport, RequirementResult } from '../../../contract/report/conformance.ts'
import { count } from '../../../contract/text.ts'
import { verdictBadges } from '../../../reports/conformance/summary.ts'
import { wasRecorded } from '../../client/index.ts'
import { sha256, reportText as writtenReport } from '../bundle.ts'
import type { StoredRound } from './content.ts'

/**
 * The report of a round according to its evidence. Start, duration, leftovers and the container of the target
 * are not recorded: these are taken from the stored report.
 */
export function reportFromEvidence(
  { report: stored }: StoredRound,
  { recording: _, digest: __, ...rejudged }: ConformanceReport,
): ConformanceReport {
  const { container } = stored.target
  return {
    ...rejudged,
    target: { ...rejudged.target, ...(container === undefined ? {} : { container }) },
    startedAt: stored.startedAt,
    durationMs: stored.durationMs,
    cost: { ...rejudged.cost, requests: stored.cost.requests },
    residue: stored.residue,
    residueUnseen: stored.residueUnseen,
  }
}

/** Requirements whose stored verdict is not the one that the evidence shows, with the reason. */
export function verdictDifferences(
  stored: ConformanceReport,
  expected: ConformanceReport,
): string[] {
  const before = new Map(stored.requirements.map((requirement) => [requirement.id, requirement]))
  const after = new Map(expected.requirements.map((requirement) => [requirement.id, requirement]))
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].flatMap((id) => {
    const [was, is] = [before.get(id), after.get(id)]
    if (was?.verdict === is?.verdict) return []
    const reason = is?.message ? `: ${is.message}` : ''
    return [`${id} was reported as ${wordOf(was)}, but the evidence shows ${wordOf(is)}${reason}`]
  })
}

function wordOf(requirement: RequirementResult | undefined): string {
  return requirement === undefined ? 'no such requirement' : verdictBadges[requirement.verdict].word
}

/** Empty if report.json is, byte for byte, what this version writes for the evidence. */
export function reportProblems(
  { reportText, report: stored, exchanges }: StoredRound,
  expected: ConformanceReport,
): string[] {
  if (writtenReport(expected, sha256(exchanges)) === reportText) return []
  const value = (report: object, name: string) =>
    Object.getOwnPropertyDescriptor(report, name)?.value
  const member = Object.keys(expected).find(
    (name) => !isDeepStrictEqual(value(stored, name), value(expected, name)),
  )
  return [
    member === undefined
      ? 'report.json is not in the form that chatgen writes'
      : `report.json: ${member} is not what the evidence shows`,
  ]
}

/** Scenario of the requests that look for leftovers after a run; they decide no requirement. */
const audit = 'residue-audit'

/**
 * Compares the recorded requests of a round with those that this version sends for its seed, byte for
 * byte. `rejudged` contains the same exchanges with the requests of this version, and a placeholder for
 * each that the recording lacks.
 */
export function requestProblems(
  recorded: readonly Exchange[],
  rejudged: readonly Exchange[],
): string[] {
  const today = new Map(rejudged.filter(wasRecorded).map((exchange) => [exchange.id, exchange]))
  const problems = recorded.flatMap((exchange) => {
    if (exchange.labels.scenario === audit) return auditProblems(exchange, recorded)
    const own = today.get(exchange.id)
    const difference = own === undefined ? 'is not sent' : differenceOf(exchange, own)
    return difference === null ? [] : [`${nameOf(exchange)} ${difference}`]
  })
  const missing = rejudged.filter((exchange) => !wasRecorded(exchange))
  problems.push(...missing.map((exchange) => `${nameOf(exchange)} is not recorded`))
  const maxListed = 5
  return problems.length <= maxListed
    ? problems
    : [
        ...problems.slice(0, maxListed),
        `and ${count(problems.length - maxListed, 'other request')}`,
      ]
}

/** Checks a request of the audit: it reads or deletes, after all scenarios have begun. */
function auditProblems(exchange: Exchange, recorded: readonly Exchange[]): string[] {
  const isHarmless = ['GET', 'DELETE'].includes(exchange.request.method)
  const isLast = recorded.every(
    ({ labels, startedAt }) => labels.scenario === audit || startedAt <= exchange.startedAt,
  )
  if (isHarmless && isLast) return []
  return [`${nameOf(exchange)} does not look for leftovers of the round`]
}

function differenceOf({ request }: Exchange, { request: own }: Exchange): string | null {
  if (request.method !== own.method) return `is sent with ${own.method}`
  if (request.url !== own.url) return `is sent to ${own.url}`
  if (!isDeepStrictEqual(comparable(request.headers), comparable(own.headers))) {
    return 'is sent with other headers'
  }
  return isDeepStrictEqual(bytesOf(request.body), bytesOf(own.body))
    ? null
    : 'is sent with another body'
}

/** Reduces a credential to its scheme, which alone is compared: keys are not stored, and wrong ones are made from them. */
function comparable(headers: readonly Header[]): Header[] {
  return headers.map(([name, value]) =>
    name.toLowerCase() === 'authorization' ? [name, value.split(' ')[0] ?? ''] : [name, value],
  )
}

function bytesOf(body: Uint8Array | null): Buffer | null {
  return body === null ? null : Buffer.from(body)
}

function nameOf({ id, labels, request }: Exchange): string {
  return `${request.method} ${new URL(request.url).pathname} (${id} of ${labels.scenario})`
}
