import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Observation, questions, type RequirementId } from '../../contract/index.ts'
import type { ConformanceReport, ObservationRow } from '../../contract/report/conformance.ts'
import { createRedactor, RedactingWriter } from '../client/index.ts'
import { type AuditOptions, auditLeftovers, type LeftoverAudit } from './cleanup/audit.ts'
import { startJournal } from './cleanup/journal-file.ts'
import { defaultJobs, exchangesName, journalName, runRecordName } from './defaults.ts'
import { ConfigurationError, InterruptedError } from './errors.ts'
import { type Exploration, runExploration } from './exploration.ts'
import { preflight } from './preflight/preflight.ts'
import { isPlanned, skipReason } from './profile/applicability.ts'
import type { TargetProfile } from './profile/index.ts'
import { networkSummary } from './profile/network.ts'
import {
  type ProfileName,
  type Selection,
  selectRows,
  surfacesOfProfile,
} from './profile/selection.ts'
import { buildProgress, type Progress } from './progress.ts'
import { writeRunRecord } from './recording/record.ts'
import { evidenceUnwritable, makeFolder } from './recording/result-files.ts'
import type { RunSetup } from './run-setup.ts'
import { secretsOf } from './session/secrets.ts'
import { countTotals, reportOutcome } from './totals.ts'
import { addCosts, addTraffic, noCost, noTraffic } from './usage.ts'
import { decide } from './verdicts.ts'
import { interfaceRevision, suiteVersion } from './version.ts'
import { Collector, type Scenario } from './vitest/collector.ts'
import { type Engine, inlineEngine, runOnce, singleRunEngine } from './vitest/engine.ts'
import { openSuites } from './vitest/suites.ts'

export interface RunOptions {
  readonly profile: TargetProfile
  readonly selection: Selection
  /** Folder for `exchanges.ndjson` and the journal; made where it is missing. */
  readonly outDir: string
  readonly seed?: string
  readonly jobs?: number
  /** Makes another order of the scenarios. */
  readonly shuffle?: string
  readonly maxRequests?: number
  readonly strict?: boolean
  /** Nothing in a request tells it apart from those of users: no tag, no name of this package. */
  readonly incognito?: boolean
  /** `exchanges.ndjson` of an earlier run with the same seed, to judge in place of the network. */
  readonly recordingFile?: string
  /** The recording is evidence: an answer counts only for the request that it was given to. */
  readonly evidence?: boolean
  /** Called when the target has answered, before the first file is written. */
  readonly beforeWriting?: () => void
  readonly onProgress?: (progress: Progress) => void
  /** Stays open from run to run; without it, one is opened for this run alone. */
  readonly engine?: Engine
  /** Judges whatever answers, be it a service or not. */
  readonly anyAnswer?: boolean
  /** Runs after the suites, where the run was not interrupted. */
  readonly exploration?: Exploration
  /** Interrupts the run; what was found so far is reported. */
  readonly signal?: AbortSignal
}

/**
 * Judges a target and reports.
 * @throws ConfigurationError for a selection or folder that cannot be used, TargetUnusableError
 * before anything was judged, InterruptedError where the signal came before the first scenario.
 */
export async function runConformance(options: RunOptions): Promise<ConformanceReport> {
  const startedAt = new Date()
  const rows = selectRows(options.selection)
  let setup = buildSetup(options, rows)
  if (setup.maxRequests !== null && setup.maxRequests <= setup.spentBefore) {
    const asked = `the first ${setup.spentBefore} ask who is there`
    throw new ConfigurationError([`${setup.maxRequests} requests are too few: ${asked}`])
  }
  prepareFolder(options.outDir)
  if (setup.recordingFile === null) {
    setup = { ...setup, spentBefore: await sendPreflight(setup, options) }
  }
  if (options.signal?.aborted) throw new InterruptedError('interrupted before the first scenario')
  // Results of an earlier run are replaced only once it is known that this one has a target.
  options.beforeWriting?.()
  prepare(options, setup, startedAt)

  const redactor = createRedactor(secretsOf(setup))
  const collector = new Collector((scenario) => {
    options.onProgress?.(
      buildProgress(collector, { scenario, judged: setup.rows, rows, profile: options.profile }),
    )
  }, redactor.text)
  const run = options.engine?.run ?? runOnce
  const isStopped = await run(collector, setup, options.signal)
  if (options.exploration !== undefined && !isStopped) {
    await runExploration(options.exploration, collector, setup, options.signal)
  }
  const interrupted = options.signal?.aborted ?? false

  const results = collector.resultsInOrder()
  const unwritten = results.find(({ fault }) => fault?.includes(evidenceUnwritable))
  // A verdict without its evidence settles nothing, so that none is given.
  if (unwritten) throw new ConfigurationError([unwritten.fault ?? evidenceUnwritable])
  const before = { ...noCost, requests: setup.spentBefore }
  const judged = results.map((result) => result.cost).reduce(addCosts, before)
  const audit = await auditSafely(collector, setup, { spent: judged.requests, interrupted })

  const requirements = decide(rows, results, collector.scenarios, options.profile, { interrupted })
  const observations = observationRows(results.flatMap((result) => result.observations))
  const strict = options.strict ?? false
  return {
    kind: 'conformance-report',
    schemaVersion: 1,
    outcome: reportOutcome(requirements, strict),
    interrupted,
    suite: { version: suiteVersion(), interface: interfaceRevision },
    target: {
      baseUrl: redactor.text(options.profile.baseUrl),
      profile: options.selection.profile,
      capabilities: declaredCapabilities(options.profile),
      ...networkSummary(options.profile),
    },
    seed: setup.seed,
    strict,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    totals: countTotals(requirements, observations.length),
    cost: addCosts(judged, { ...noCost, requests: audit.requests }),
    traffic: results.map((result) => result.traffic).reduce(addTraffic, noTraffic),
    requirements,
    observations,
    faults: [
      ...collector.faults,
      ...results.flatMap(({ title, fault }) =>
        fault === null ? [] : [{ scenario: title, message: fault }],
      ),
    ],
    residue: [...audit.leftovers],
    residueUnseen: audit.incompleteReason,
  }
}

/** Asks who is there; what that fails with after an interrupt is of no interest. */
async function sendPreflight(setup: RunSetup, options: RunOptions): Promise<number> {
  const { selection, signal, anyAnswer = false } = options
  try {
    const surfaces = surfacesOfProfile(selection.profile)
    return (await preflight(setup, surfaces, { signal, anyAnswer })).requests
  } catch (error) {
    if (signal?.aborted) return setup.spentBefore
    throw error
  }
}

/** Audits leftovers; a failed audit does not lose the verdicts. */
async function auditSafely(
  collector: Collector,
  setup: RunSetup,
  options: AuditOptions,
): Promise<LeftoverAudit> {
  try {
    return await auditLeftovers(setup, options)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    collector.faults.push({ scenario: 'audit of what the run has left', message })
    return { leftovers: [], incompleteReason: message, requests: 0 }
  }
}

/** The scenarios that a selection would run, without a request. */
export async function planConformance(
  profile: TargetProfile,
  selection: Selection,
): Promise<readonly Scenario[]> {
  const rows = selectRows(selection).filter((id) => !skipReason(id, profile))
  const scenarios = await listScenarios()
  return scenarios.filter((scenario) => isPlanned(scenario, rows, profile))
}

/** Every scenario of the suites, with the rows that it can decide. */
export async function listScenarios(): Promise<readonly Scenario[]> {
  const collector = new Collector(() => {}, String)
  const suites = await openSuites(collector)
  try {
    const { testModules } = await suites.vitest.collect([], { staticParse: false })
    for (const module of testModules) collector.onTestModuleCollected(module)
    const [fault] = testModules.flatMap((module) => module.errors())
    if (fault) throw new Error(fault.message)
    return collector.scenarios
  } finally {
    await suites.close()
  }
}

function buildSetup(options: RunOptions, rows: readonly RequirementId[]): RunSetup {
  const seed = options.seed ?? randomUUID().slice(0, 8)
  return {
    profile: options.profile,
    rows: rows.filter((id) => !skipReason(id, options.profile)),
    seed,
    ...identityOf(seed, options.incognito ?? false),
    jobs: options.jobs ?? defaultJobs,
    shuffle: options.shuffle ?? null,
    maxRequests: options.maxRequests ?? null,
    // Who is there is asked before.
    spentBefore: options.recordingFile ? 0 : surfacesOfProfile(options.selection.profile).length,
    endsAt: options.recordingFile ? null : Date.now() + options.profile.limits.runMs,
    exchangesFile: join(options.outDir, exchangesName),
    journalFile: join(options.outDir, journalName),
    recordingFile: options.recordingFile ?? null,
    evidence: options.evidence ?? false,
  }
}

/** User agent of an incognito run: that of `fetch` in Node. */
const commonUserAgent = 'node'

function identityOf(
  seed: string,
  incognito: boolean,
): Pick<RunSetup, 'tag' | 'userAgent' | 'requestIdSeed'> {
  return incognito
    ? { tag: '', userAgent: commonUserAgent, requestIdSeed: seed }
    : { tag: `chatgen-${seed}`, userAgent: `chatgen-conformance/${suiteVersion()}` }
}

function prepareFolder(outDir: string): void {
  try {
    makeFolder(outDir)
  } catch (error) {
    throw unwritable(error)
  }
}

function unwritable(error: unknown): ConfigurationError {
  const reason = error instanceof Error ? error.message : String(error)
  return new ConfigurationError([`the folder for results cannot be written: ${reason}`])
}

function prepare(options: RunOptions, setup: RunSetup, startedAt: Date): void {
  const { outDir, selection, strict = false, incognito = false } = options
  const { profile, seed } = setup
  const suite = { version: suiteVersion(), interface: interfaceRevision }
  try {
    new RedactingWriter().write(setup.exchangesFile, '')
    writeRunRecord(
      join(outDir, runRecordName),
      {
        suite,
        startedAt: startedAt.toISOString(),
        seed,
        strict,
        selection: copy(selection),
        ...(incognito && { incognito }),
        ...(options.exploration && { explore: options.exploration.operations }),
      },
      profile,
    )
    if (setup.recordingFile === null) startJournal(setup.journalFile, setup)
  } catch (error) {
    throw unwritable(error)
  }
}

function copy({ profile, only, skip }: Selection) {
  return { profile, only: [...only], skip: [...skip] }
}

function declaredCapabilities(profile: TargetProfile): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(profile.capabilities).filter(
      (entry): entry is [string, boolean] => entry[1] !== undefined,
    ),
  )
}

/** One line for each question; answers that differ stand side by side. */
function observationRows(seen: readonly Observation[]): ObservationRow[] {
  const byQuestion = Map.groupBy(seen, ({ question }) => question)
  return [...byQuestion]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, answers]) => ({
      id,
      question: questions[id].question,
      answer: [...new Set(answers.map(({ answer }) => answer))].sort().join('; '),
      exchanges: [...new Set(answers.flatMap(({ exchanges }) => exchanges))].slice(0, 10),
    }))
}

export type { Engine, ProfileName, Scenario, Selection }
export { inlineEngine, singleRunEngine }
