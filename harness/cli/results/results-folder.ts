import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { scriptsName } from '../../../reports/conformance/violations.ts'
import {
  exchangesName,
  journalName,
  reportName,
  runRecordName,
} from '../../conformance/defaults.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import { maxStoredBytes, readInputFile } from '../../conformance/input-file.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { requestsName } from '../../load/record.ts'
import { withContainerRow } from '../target/container-flags.ts'
import { withTarget } from '../target/target.ts'
import type { TargetFlags } from '../target/target-flags.ts'
import type { Io } from '../terminal/io.ts'
import { makeOutFolder } from './folder-lock.ts'

/** Kinds of results in a folder, with their name in that of a subfolder, and in a message. */
const kinds = {
  'conformance-report': { name: 'check', words: 'results of an earlier check' },
  'load-report': { name: 'load', words: 'results of an earlier load run' },
  'capacity-report': { name: 'capacity', words: 'results of an earlier capacity search' },
  'failure-report': { name: 'failure', words: 'the reason of an earlier run without results' },
  /** report.json is not recognized. */
  unknown: { name: 'unknown', words: 'files named like results' },
} as const

type ResultsKind = keyof typeof kinds

/** Folder with the load reports of a capacity search. */
export const probesName = 'probes'

/** Names of what a run writes or leaves out, of any kind of report, or `rejudge` adds to it. */
const pages = ['html', 'xml', 'md', 'csv', 'prom'].map((ending) => `report.${ending}`)
const pageNames: readonly string[] = [...pages, 'badge.svg', requestsName, 'rejudged']
const resultNames: readonly string[] = [
  ...[reportName, exchangesName, runRecordName, journalName, probesName, scriptsName],
  ...pageNames,
]

export interface Taking {
  readonly kind: Exclude<ResultsKind, 'failure-report' | 'unknown'>
  /** Names of the files that the run will write; null entries are printed. */
  readonly formats: readonly { readonly file: string | null }[]
}

/**
 * Prepares a folder for the results of a run, so that it does not mix results of two runs. Results of
 * another kind are moved to a subfolder. Of the same kind, files that the run replaces are deleted, and
 * the others are moved. Nothing else in the folder is touched.
 * @throws ConfigurationError if the folder cannot be written
 */
export function takeResultsFolder(folder: string, taking: Taking, io: Io): void {
  const take = () => replaceResults(folder, taking, io)
  asConfigurationError(Error, take, 'cannot write to the results folder')
}

function replaceResults(folder: string, { kind, formats }: Taking, io: Io): void {
  makeFolder(folder)
  const found = resultsIn(folder)
  if (found === null) return
  // A capacity search takes long and has its own probes: it is kept.
  const isOfKind = found.kind === kind && kind !== 'capacity-report'
  const replaced = isOfKind || found.kind === 'failure-report'
  const own = [reportName, scriptsName, ...formats.flatMap(({ file }) => file ?? [])]
  if (replaced) {
    for (const name of own) rmSync(join(folder, name), { force: true, recursive: true })
  }
  const moved = moveAside(folder, found, replaced ? pageNames : resultNames)
  if (moved === null) return
  const what = replaced ? `${moved.names.join(' and ')} of an earlier run` : kinds[found.kind].words
  io.err(`chatgen: ${what} in ${folder} moved to ${moved.aside}`)
}

/**
 * Runs against the target of the command line. The results folder is reserved before anything is sent; `prepare`
 * refuses what does not fit the target, and the run that it returns calls `take`, which prepares the folder, once
 * there is something to write. If it never does, earlier results are moved to a subfolder, so that they are not
 * mistaken for those of this run.
 */
export function runOnTarget<Report extends Parameters<typeof withContainerRow>[0]>(
  {
    url,
    flags,
    io,
  }: { readonly url: string | undefined; readonly flags: RunFlags; readonly io: Io },
  taking: Taking,
  prepare: (
    profile: TargetProfile,
    requestsBefore: number,
  ) => (take: () => void) => Promise<Report>,
  meanwhile?: () => Promise<unknown>,
): Promise<Report> {
  const { out } = flags
  const target = { ...flags, beforeSending: () => makeOutFolder(out) }
  return withTarget(
    url,
    target,
    io,
    async (profile, container, requestsBefore) => {
      const run = prepare(profile, requestsBefore)
      makeOutFolder(out)
      let taken = false
      const take = () => {
        taken = true
        takeResultsFolder(out, taking, io)
      }
      const report = await run(take).catch((error: unknown) => {
        if (!taken && !(error instanceof ConfigurationError))
          setAside(out, kinds[taking.kind].name, io)
        throw error
      })
      return withContainerRow(report, container)
    },
    meanwhile,
  )
}

type RunFlags = TargetFlags & { readonly out: string }

/** Moves results of an earlier run of a command to a subfolder, for a run without results. */
export function setAside(folder: string, command: string, { err }: Pick<Io, 'err'>): void {
  const found = resultsIn(folder)
  if (found === null || kinds[found.kind].name !== command) return
  moveAside(folder, found, resultNames)
  const what = `${kinds[found.kind].words} in ${folder}`
  err(`chatgen: ${what} moved to a subfolder: this run has no results`)
}

/** Moves those of these files that there are into a subfolder; null if there are none. */
function moveAside(folder: string, found: FoundResults, candidates: readonly string[]) {
  const names = candidates.filter((name) => existsSync(join(folder, name)))
  if (names.length === 0) return null
  const aside = freeFolder(folder, found)
  mkdirSync(aside)
  for (const name of names) renameSync(join(folder, name), join(aside, name))
  return { names, aside }
}

export interface FoundResults {
  readonly kind: ResultsKind
  /** Start of their run, or the modification time if it is unknown. */
  readonly at: Date
}

/** Identifies the results in a folder; null if there are none. */
export function resultsIn(folder: string): FoundResults | null {
  const report = join(folder, reportName)
  if (existsSync(report)) return foundIn(report)
  // A run that was killed leaves its evidence without a report.
  const evidence = [runRecordName, exchangesName].map((name) => join(folder, name)).find(existsSync)
  if (evidence !== undefined) return { kind: 'conformance-report', at: statSync(evidence).mtime }
  const probes = join(folder, probesName)
  return existsSync(probes) ? { kind: 'capacity-report', at: statSync(probes).mtime } : null
}

function foundIn(file: string): FoundResults {
  const { mtime } = statSync(file)
  try {
    const { kind, startedAt } = Object(JSON.parse(readInputFile(file, maxStoredBytes)))
    const start = new Date(String(startedAt))
    const found = (Object.keys(kinds) as ResultsKind[]).find((name) => name === kind)
    return { kind: found ?? 'unknown', at: Number.isNaN(start.getTime()) ? mtime : start }
  } catch {
    return { kind: 'unknown', at: mtime }
  }
}

/** `previous-check-20261122T054115Z`, with a number appended if that exists. */
function freeFolder(folder: string, { kind, at }: FoundResults): string {
  const stamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const first = join(folder, `previous-${kinds[kind].name}-${stamp}`)
  let name = first
  for (let number = 2; existsSync(name); number += 1) name = `${first}-${number}`
  return name
}
