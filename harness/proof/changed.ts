import { execFileSync } from 'node:child_process'
import { isRequirementId } from '../../contract/index.ts'
import { faults } from '../../reference-server/deviations/index.ts'
import { spread } from './runs/attempts.ts'

/** Folders that affect verdicts. */
const rooms = [
  'suites',
  'contract',
  'harness/judges',
  'harness/client',
  'harness/conformance',
  'harness/proof',
  'reference-server',
  'fixtures',
]

/** Maximum number of faults, sample included: more would take longer than a minute. */
const maxFaults = 80
/** Size of a sample of all faults, used if a change cannot be attributed to requirements. */
const sampled = 20

/**
 * Faults of the requirements that are named in or near the changes since a commit, and faults whose own
 * definition changed. If a changed file names no requirement, a sample of all faults is added.
 */
export function changedSince(commit: string) {
  const perFile = diffSince(commit)
    .split(/^diff --git /m)
    .slice(1)
  const rows = new Set(perFile.flatMap(rowsIn))
  const elsewhere = perFile
    .filter((text) => rowsIn(text).length === 0)
    .map((text) => /^a\/(\S+)/.exec(text)?.[1] ?? 'a file')
  const text = perFile.join('\n')
  const touched = faults.filter(
    ({ name, breaks }) => text.includes(` ${name}: `) || breaks.some((id) => rows.has(id)),
  )
  const sample = elsewhere.length > 0 ? spread(faults, sampled) : []
  const chosen = spread(touched, maxFaults - sample.length)
  return {
    rows: [...rows].sort(),
    /** Changed files in which the diff names no requirement. */
    elsewhere,
    names: [...new Set(['clean-full', ...[...chosen, ...sample].map(({ name }) => name)])],
    /** Number of faults of affected requirements that were left out to stay under a minute. */
    leftOut: touched.length - chosen.length,
  }
}

/** Diff with enough context to include the requirement ids of the changed claims. */
function diffSince(commit: string): string {
  const sources = rooms.flatMap((room) => [`${room}/*.ts`, `${room}/*.yaml`])
  const tests = [':(exclude)*.test.ts', ':(exclude)*/test-support/*']
  return execFileSync('git', ['diff', '-U12', commit, '--', ...sources, ...tests], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
}

function rowsIn(text: string): string[] {
  return (text.match(/\b[A-Z0-9]+(?:-[A-Z0-9]+)*-\d{2}\b/g) ?? []).filter(isRequirementId)
}
