import { isDeepStrictEqual } from 'node:util'
import type { ConformanceReport, RequirementRow } from '../../../contract/report/conformance.ts'
import { sha256 } from '../bundle.ts'
import { verdictWord } from '../rules.ts'
import { reportText as writtenReport } from '../writers.ts'
import type { StoredRound } from './content.ts'

/**
 * The report of a round as its evidence shows it. A recording does not hold when and how long the round
 * ran, what it left on the target, and in which container the target was: these are as stored.
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
  const before = new Map(stored.requirements.map((row) => [row.id, row]))
  const after = new Map(expected.requirements.map((row) => [row.id, row]))
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].flatMap((id) => {
    const [was, is] = [before.get(id), after.get(id)]
    if (was?.verdict === is?.verdict) return []
    const reason = is?.message ? `: ${is.message}` : ''
    return [`${id} was reported as ${wordOf(was)}, and the evidence shows ${wordOf(is)}${reason}`]
  })
}

function wordOf(row: RequirementRow | undefined): string {
  return row === undefined ? 'no such requirement' : verdictWord(row.verdict)
}

/** Empty if report.json is, byte for byte, what this version writes for the evidence. */
export function reportProblems(
  { reportText, report: stored, exchanges }: StoredRound,
  expected: ConformanceReport,
): string[] {
  if (writtenReport(expected, sha256(exchanges)) === reportText) return []
  const member = Object.keys(expected).find((name) => differs(name, stored, expected))
  return [
    member === undefined
      ? 'report.json is not in the form that chatgen writes'
      : `report.json: ${member} is not what the evidence shows`,
  ]
}

function differs(name: string, stored: object, expected: object): boolean {
  const value = (report: object) => Object.getOwnPropertyDescriptor(report, name)?.value
  return !isDeepStrictEqual(value(stored), value(expected))
}
