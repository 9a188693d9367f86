import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isRequirementId, type RequirementId } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { reportName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { resultsIn } from '../results/results-folder.ts'
import { anyEdited, conformanceIn, openStored } from '../results/stored-report.ts'

const failed: readonly string[] = ['fail', 'warn', 'inconclusive', 'unproven', 'error']

/**
 * Requirements that were violated or undecided in the results of an earlier check.
 * @throws ConfigurationError if there are none, or if they were edited after their run
 */
export function failedIn(folder: string): {
  readonly report: ConformanceReport
  readonly ids: readonly RequirementId[]
} {
  const place = hasReport(folder) ? folder : latestAside(folder)
  if (place === undefined) {
    throw new ConfigurationError([
      `--failed: ${folder} has no ${reportName} of an earlier check: run chatgen check without --failed first, or pass its folder as --out`,
    ])
  }
  const stored = openStored(place)
  if (anyEdited([stored])) {
    throw new ConfigurationError([
      `--failed: the results in ${place} were edited after their run: run chatgen check without --failed`,
    ])
  }
  const { report } = conformanceIn(stored)
  return { report, ids: failedOf(report) }
}

/** Requirements of a report that were violated or undecided. */
export function failedOf({
  requirements,
}: Pick<ConformanceReport, 'requirements'>): readonly RequirementId[] {
  return requirements
    .filter(({ verdict }) => failed.includes(verdict))
    .map(({ id }) => id)
    .filter(isRequirementId)
}

/** Latest results that a run without any, such as one whose target was down, has moved aside. */
function latestAside(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const names = readdirSync(folder).filter((name) => name.startsWith('previous-check-'))
  return names
    .toSorted()
    .map((name) => join(folder, name))
    .findLast(hasReport)
}

export function hasReport(folder: string): boolean {
  return resultsIn(folder)?.kind === 'conformance-report'
}
