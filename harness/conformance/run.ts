import { messageOf } from '../../contract/error-message.ts'
import type { Surface } from '../../contract/index.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { isViolation } from '../../contract/report/conformance.ts'
import { createRedactor } from '../client/index.ts'
import { type AuditOptions, auditLeftovers, type LeftoverAudit } from './cleanup/audit.ts'
import { costOf, runOnEachEndpoint } from './endpoints-alone.ts'
import { ConfigurationError, InterruptedError } from './errors.ts'
import { isExplorable, runExploration } from './exploration.ts'
import { preflight } from './preflight/preflight.ts'
import { endpointsOf, profileOfEndpoint } from './profile/index.ts'
import { type Selection, selectRows, surfacesOfProfile } from './profile/selection.ts'
import { buildProgress } from './progress.ts'
import { prepareFiles, prepareFolder } from './recording/prepare-folder.ts'
import { evidenceUnwritable } from './recording/result-files.ts'
import { buildReport } from './report/build-report.ts'
import { decide } from './report/verdicts.ts'
import { buildSetup, type RunOptions } from './run-options.ts'
import { isIncognito, type RunSetup } from './run-setup.ts'
import { secretsOf } from './session/secrets.ts'
import { addCosts, noCost } from './usage.ts'
import { Collector } from './vitest/collector.ts'
import { type Engine, inlineEngine, runOnce, singleRunEngine } from './vitest/engine.ts'

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
    const preflightCost = `the preflight needs ${setup.spentBefore}`
    throw new ConfigurationError([
      `--max-requests ${setup.maxRequests} is too low: ${preflightCost}`,
    ])
  }
  prepareFolder(options.outDir)
  if (setup.recordingFile === null) {
    setup = { ...setup, spentBefore: await sendPreflight(setup, options) }
  }
  if (options.signal?.aborted) throw new InterruptedError('interrupted before the first scenario')
  // Results of an earlier run are replaced only once it is known that this one has a target.
  options.beforeWriting?.()
  prepareFiles(options, setup, startedAt)

  const redactor = createRedactor(secretsOf(setup))
  const showProgress = (scenario: string) => {
    options.onProgress?.(
      buildProgress(collector, {
        scenario,
        judged: setup.rows,
        rows,
        profile: options.profile,
        isIncognito: isIncognito(setup),
      }),
    )
  }
  const collector = new Collector(showProgress, redactor.text)
  const run = options.engine?.run ?? runOnce
  const isStopped = await run(collector, setup, options.signal)
  const { exploration } = options
  const explored =
    exploration !== undefined && !isStopped && isExplorable(exploration, setup.rows)
      ? await runExploration(exploration, collector, setup, options.signal, () =>
          showProgress(exploration.title),
        )
      : undefined
  const interrupted = options.signal?.aborted ?? false

  const results = collector.resultsInOrder()
  const unwritten = results.find(({ fault }) => fault?.includes(evidenceUnwritable))
  // A verdict without its evidence settles nothing, so that none is given.
  if (unwritten) throw new ConfigurationError([unwritten.fault ?? evidenceUnwritable])
  const before = { ...noCost, requests: setup.spentBefore }
  const judged = results.map((result) => result.cost).reduce(addCosts, before)
  const decided = decide(rows, results, collector.scenarios, options.profile, { interrupted })
  const alone = await runOnEachEndpoint(decided.filter(isViolation), setup, {
    run,
    redact: redactor.text,
    signal: options.signal,
    spent: judged.requests,
  })
  const cost = addCosts(judged, costOf([...alone.values()].flat()))
  const audit = await auditSafely(collector, setup, { spent: cost.requests, interrupted })
  return buildReport({
    collector,
    setup,
    profileName: options.selection.profile,
    decided,
    alone,
    exploration: explored,
    strict: options.strict ?? false,
    startedAt,
    interrupted,
    cost,
    audit,
    redact: redactor.text,
  })
}

/** Requests of the preflight; its errors after an interrupt are dropped. */
async function sendPreflight(setup: RunSetup, options: RunOptions): Promise<number> {
  const { selection, signal, anyAnswer = false } = options
  try {
    const surfaces = probedSurfaces(selection, setup)
    let requests = 0
    for (const endpoint of endpointsOf(setup.profile)) {
      const there = { ...setup, profile: profileOfEndpoint(setup.profile, endpoint) }
      requests += (await preflight(there, surfaces, { signal, anyAnswer })).requests
    }
    return requests
  } catch (error) {
    if (signal?.aborted) return setup.spentBefore
    throw error
  }
}

/** The probe of v2 is a refused request: an incognito run sends none before it begins. */
function probedSurfaces({ profile }: Selection, setup: RunSetup): readonly Surface[] {
  const surfaces = surfacesOfProfile(profile)
  const harmless = surfaces.filter((surface) => surface !== 'v2')
  return isIncognito(setup) && harmless.length > 0 ? harmless : surfaces
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
    const message = messageOf(error)
    collector.faults.push({ scenario: 'leftover check', message })
    return { leftovers: [], incompleteReason: message, requests: 0 }
  }
}

export type { Engine, RunOptions, Selection }
export { inlineEngine, singleRunEngine }
