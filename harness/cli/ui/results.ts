import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Exchange } from '../../../contract/index.ts'
import { type ConformanceReport, isViolation } from '../../../contract/report/conformance.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import type { PlanReport } from '../../../reports/plan/model.ts'
import { exchangesName, reportName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { reportOutcome } from '../../conformance/report/build-report.ts'
import { pendingReason } from '../../conformance/report/verdicts.ts'
import { resultsIn } from '../results/results-folder.ts'
import {
  capacityIn,
  conformanceIn,
  loadIn,
  openStored,
  planIn,
  readRecording,
  type StoredFile,
} from '../results/stored-report.ts'
import type { Live } from '../terminal/progress.ts'

export type AnyReport = ConformanceReport | LoadReport | CapacityReport | PlanReport

export interface Stored {
  readonly report: AnyReport
  /** Exchanges of a check, by id. */
  readonly exchanges: ReadonlyMap<string, Exchange>
}

/** A check, with its evidence. */
export interface Checked extends Stored {
  readonly report: ConformanceReport
}

const noExchanges: ReadonlyMap<string, Exchange> = new Map()

/**
 * Reads the report of a folder, or a report by its file.
 * @throws ConfigurationError if there is none, or it cannot be read
 */
export function readResults(path: string): Stored {
  const file = openStored(path)
  if (file.kind === 'conformance-report') return conformanceIn(file)
  const read = readers.get(file.kind)
  if (read === undefined) throw new ConfigurationError([`${file.file} is not a chatgen report`])
  return { report: read(file), exchanges: noExchanges }
}

const readers = new Map<unknown, (file: StoredFile) => AnyReport>([
  ['load-report', loadIn],
  ['capacity-report', capacityIn],
  ['plan-report', planIn],
])

/** Results of a folder; null if it has none yet, or only the reason of a run without any. */
export function resultsIfAny(folder: string): Stored | null {
  if (!existsSync(join(folder, reportName))) return null
  return resultsIn(folder)?.kind === 'failure-report' ? null : readResults(folder)
}

/** Results that the page shows, and the run that changes them. */
export interface Result {
  readonly name: string
  /** Folder, or file of a report. */
  readonly path: string
  stored: Stored | null
  parts: readonly Part[]
  /** Set while a run writes into the folder. */
  live: Live | null
  /** Reason why the last run has no report. */
  failure: string | null
}

/** A folder that may have results. */
export function resultAt(name: string, path: string): Result {
  return { name, path, stored: resultsIfAny(path), parts: [], live: null, failure: null }
}

/** Name of a folder or file in the list of results. */
export function nameOf(path: string): string {
  return basename(path) === reportName ? basename(resolve(path, '..')) : basename(resolve(path))
}

/** A check under way: violations already have evidence. */
export function liveCheck(report: ConformanceReport, folder: string): Checked {
  const requirements = report.requirements.map((requirement) =>
    isViolation(requirement) ? requirement : { ...requirement, exchanges: [] },
  )
  return {
    report: { ...report, requirements },
    exchanges: requirements.some(isViolation)
      ? readRecording(join(folder, exchangesName)).exchanges
      : noExchanges,
  }
}

/** A part that was checked again, with its place: `part-1`. */
export interface Part extends Checked {
  readonly name: string
}

/**
 * A check with the requirements of parts that were checked again later. Only a whole run conforms: without violations
 * it is incomplete.
 */
export function withParts(whole: Checked, parts: readonly Part[]): Checked {
  const fitting = parts.filter(({ report }) => isComparable(report, whole.report))
  if (fitting.length === 0) return whole
  const byId = new Map(
    whole.report.requirements.map((requirement) => [requirement.id, requirement]),
  )
  const exchanges = new Map(whole.exchanges)
  for (const { name, report, exchanges: own } of fitting) {
    const idOf = (id: string) => `${name}/${id}`
    for (const requirement of report.requirements) {
      if (requirement.message === pendingReason) continue
      const ids = requirement.exchanges.map(idOf)
      byId.set(requirement.id, { ...requirement, exchanges: ids })
      for (const id of requirement.exchanges) {
        const exchange = own.get(id)
        if (exchange !== undefined) exchanges.set(idOf(id), { ...exchange, id: idOf(id) })
      }
    }
  }
  const requirements = [...byId.values()]
  const isViolated = reportOutcome({ ...whole.report, requirements }) === 'violated'
  const again = new Set(fitting.flatMap(({ report }) => report.requirements.map(({ id }) => id)))
  const { unselected } = whole.report
  const added = requirements.length - whole.report.requirements.length
  const report: ConformanceReport = {
    ...whole.report,
    requirements,
    ...(unselected !== undefined && { unselected: unselected - added }),
    outcome: isViolated ? 'violated' : 'incomplete',
    stopped: `${again.size} of ${requirements.length} requirements have been checked again since; only a run of everything shows whether the target conforms`,
  }
  return { report, exchanges }
}

function isComparable(a: ConformanceReport, b: ConformanceReport): boolean {
  return a.target.baseUrl === b.target.baseUrl && a.suite.version === b.suite.version
}
