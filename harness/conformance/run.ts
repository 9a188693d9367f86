import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { surfaces as allSurfaces, type Surface } from '../../contract/index.ts'
import { type ConformanceReport, isViolation } from '../../contract/report/conformance.ts'
import { messageOf } from '../../contract/text.ts'
import { createRedactor, RedactingWriter } from '../client/index.ts'
import { auditLeftovers, emptyAudit, type LeftoverAudit } from './cleanup/cleanup.ts'
import { readJournal, startJournal } from './cleanup/journal.ts'
import { interfaceRevision, runRecordName, suiteVersion } from './defaults.ts'
import { runOnEachEndpoint } from './endpoints-alone.ts'
import { asConfigurationError, ConfigurationError, InterruptedError } from './errors.ts'
import { preflight } from './preflight/preflight.ts'
import { endpointsOf, profileOfEndpoint } from './profile/index.ts'
import { type Selection, selectRequirements, surfacesOfProfile } from './profile/selection.ts'
import { buildProgress } from './progress.ts'
import { writeRunRecord } from './recording/record.ts'
import { makeFolder } from './recording/result-files.ts'
import { buildReport } from './report/build-report.ts'
import { decide, interruptedReason, pendingReason } from './report/verdicts.ts'
import { buildSetup, type RunOptions } from './run-options.ts'
import { isIncognito, type RunSetup } from './run-setup.ts'
import { shuffled } from './session/identities.ts'
import { secretsOf } from './session/secrets.ts'
import { Collector } from './vitest/collector.ts'
import { type Engine, inlineEngine, runOnce } from './vitest/engine.ts'

/**
 * Judges a target and reports.
 * @throws ConfigurationError for an invalid selection or folder, TargetUnusableError before anything was
 * judged, InterruptedError if the signal was aborted before the first scenario.
 */
export async function runConformance(options: RunOptions): Promise<ConformanceReport> {
  const startedAt = new Date()
  const startMs = performance.now()
  const { selection, stop, strict = false } = options
  const requirements = selectRequirements(selection)
  const setup = buildSetup(options, requirements)
  unlessUnwritable(() => makeFolder(options.outDir))
  if (setup.recordingFile === null) await sendPreflight(setup, options)
  const requestsBefore = setup.state.budget.requests
  if (options.signal?.aborted) throw new InterruptedError('interrupted before the first scenario')
  // Results of an earlier run are replaced only once the target has answered.
  options.beforeWriting?.()
  prepareFiles(options, setup, startedAt)

  const { text: redact } = createRedactor(secretsOf(setup))
  const showProgress = (scenario: string) => {
    const report = () => buildReport({ ...whole, decided: verdicts(pendingReason) })
    const about = { scenario, requirements: () => verdicts(), report }
    options.onProgress?.(buildProgress(collector, setup, about))
  }
  const collector = new Collector(showProgress, redact)
  const whole = {
    ...{ collector, setup, profileName: selection.profile, strict, startedAt, startMs },
    ...{ requestsBefore, redact },
  }
  const verdicts = (untestedReason?: string) => {
    const results = collector.resultsInOrder()
    return decide(requirements, results, collector.scenarios, options.profile, { untestedReason })
  }
  const run = options.engine?.run ?? runOnce
  const signal = AbortSignal.any([options.signal, stop].filter((one) => one !== undefined))
  const isStopped = await run(collector, setup, signal)
  const interrupted = options.signal?.aborted ?? false
  const isPartial = interrupted || (stop?.aborted ?? false)
  if (stop?.aborted) collector.stopReason ??= String(stop.reason)

  // A verdict without evidence is worthless, so none is given.
  if (collector.unwritten !== undefined)
    throw new ConfigurationError([withLeftovers(collector.unwritten, setup)])
  assertKept(join(options.outDir, runRecordName), setup.exchangesFile)
  const decided = verdicts(isPartial ? interruptedReason : undefined)
  const doubted = isStopped || isPartial ? [] : decided.filter(isViolation)
  const alone = await runOnEachEndpoint(doubted, setup, run, redact, signal)
  const audit = await auditLeftovers(setup, isPartial).catch((error: unknown): LeftoverAudit => {
    // A failed audit does not lose the verdicts.
    const message = messageOf(error)
    collector.faults.push({ scenario: 'leftover check', message })
    return { ...emptyAudit, incompleteReason: message }
  })
  return buildReport({
    ...whole,
    decided,
    alone,
    exploration: collector.exploration,
    interrupted,
    audit,
  })
}

/** The reason why a run has no results, with the command that deletes what it has left behind. */
function withLeftovers(reason: string, { journalFile }: RunSetup): string {
  try {
    return readJournal(journalFile).chats.length === 0
      ? reason
      : `${reason}. Chats may be left on the target: run chatgen cleanup ${journalFile}`
  } catch {
    return reason
  }
}

/** @throws ConfigurationError if somebody else deleted the files of the run. */
function assertKept(...files: readonly string[]): void {
  const lost = files.find((file) => !existsSync(file))
  if (lost === undefined) return
  throw new ConfigurationError([
    `${lost} was deleted during the run, and its evidence with it: run again, with a folder that nothing else changes (--out)`,
  ])
}

/**
 * Tests that each endpoint answers; errors after an interrupt are dropped.
 * @throws ConfigurationError if the budget is too small for it, TargetUnusableError
 */
async function sendPreflight(setup: RunSetup, options: RunOptions): Promise<void> {
  const { selection, signal, anyAnswer = false } = options
  const { budget } = setup.state
  const endpoints = endpointsOf(setup.profile)
  const needed = surfacesOfProfile(selection.profile).length * endpoints.length
  if (setup.maxRequests !== null && setup.maxRequests <= budget.requests + needed) {
    throw new ConfigurationError([
      `--max-requests is too low: ${budget.requests} of ${setup.maxRequests} were sent, and the preflight of the run needs ${needed}`,
    ])
  }
  try {
    const surfaces = probedSurfaces(selection, setup)
    for (const endpoint of endpoints) {
      const there = { ...setup, profile: profileOfEndpoint(setup.profile, endpoint) }
      budget.requests += (await preflight(there, surfaces, { signal, anyAnswer })).requests
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}

/** An incognito run begins with one probe, on the surface of its first conversations: that of v2 is invalid. */
function probedSurfaces({ profile }: Selection, setup: RunSetup): readonly Surface[] {
  const surfaces = surfacesOfProfile(profile)
  const harmless = surfaces.filter((surface) => surface !== 'v2')
  return isIncognito(setup) && harmless.length > 0
    ? shuffled(allSurfaces, setup.seed)
        .filter((surface) => harmless.some((one) => one === surface))
        .slice(0, 1)
    : surfaces
}

export type { Engine, RunOptions, Selection }
export { inlineEngine }

/**
 * Replaces the recording, the run record and the journal of an earlier run.
 * @throws ConfigurationError if the folder is not writable.
 */
function prepareFiles(options: RunOptions, setup: RunSetup, startedAt: Date): void {
  const { outDir, selection, strict = false, incognito = false, depth = 'normal' } = options
  const { maxGenerations, explore } = options
  const { profile, only, skip } = selection
  unlessUnwritable(() => {
    new RedactingWriter().write(setup.exchangesFile, '')
    writeRunRecord(
      join(outDir, runRecordName),
      {
        suite: { version: suiteVersion(), interface: interfaceRevision },
        startedAt: startedAt.toISOString(),
        seed: setup.seed,
        keySeed: setup.keySeed,
        strict,
        selection: { profile, only: [...only], skip: [...skip] },
        ...(incognito && { incognito }),
        depth,
        ...(maxGenerations && { maxGenerations }),
        ...(explore && { explore }),
      },
      setup.profile,
    )
    if (setup.recordingFile === null) startJournal(setup.journalFile, setup)
  })
}

function unlessUnwritable(write: () => void): void {
  asConfigurationError(Error, write, 'the folder for results cannot be written')
}
