import type { Exchange } from '../../contract/index.ts'
import {
  type ConformanceReport,
  isViolation,
  type RequirementResult,
} from '../../contract/report/conformance.ts'
import { StoredRecording } from '../client/index.ts'
import { endpointsOf, profileOfEndpoint } from './profile/index.ts'
import type { ScenarioResult } from './report/verdicts.ts'
import type { RunSetup } from './run-setup.ts'
import { addCosts, type Cost, noCost } from './usage.ts'
import { Collector } from './vitest/collector.ts'
import type { Engine } from './vitest/engine.ts'

type Alone = NonNullable<RequirementResult['endpoints']>['alone'][string]

/** Results of the scenarios that ran again, by the name of the endpoint. */
export type ResultsAlone = ReadonlyMap<string, readonly ScenarioResult[]>

interface AskAloneOptions {
  readonly run: Engine['run']
  readonly redact: (text: string) => string
  readonly signal: AbortSignal | undefined
}

/** Runs the scenarios that saw a violation again, on each of several endpoints alone. */
export async function runOnEachEndpoint(
  violated: readonly RequirementResult[],
  setup: RunSetup,
  { run, redact, signal }: AskAloneOptions,
): Promise<ResultsAlone> {
  const scenarios = [...new Set(violated.flatMap(({ brokenBy }) => brokenBy))]
  const results = new Map<string, readonly ScenarioResult[]>()
  const endpoints = endpointsOf(setup.profile)
  if (endpoints.length < 2 || scenarios.length === 0) return results
  for (const endpoint of endpoints) {
    if (signal?.aborted) break
    const collector = new Collector(() => {}, redact)
    const alone: RunSetup = {
      ...setup,
      profile: profileOfEndpoint(setup.profile, endpoint),
      again: { endpoint: endpoint.name, scenarios },
    }
    await run(collector, alone, signal)
    const found = collector.resultsInOrder()
    results.set(endpoint.name, found)
  }
  return results
}

/** Number of requests to each endpoint, for a report; empty for a single endpoint. */
export function endpointSummary(
  { profile, exchangesFile }: RunSetup,
  redact: (text: string) => string,
): Pick<ConformanceReport['target'], 'endpoints'> {
  const endpoints = endpointsOf(profile)
  if (endpoints.length < 2) return {}
  const sent = new Map<string | undefined, number>()
  for (const { labels } of new StoredRecording(exchangesFile).values()) {
    sent.set(labels.endpoint, (sent.get(labels.endpoint) ?? 0) + 1)
  }
  return {
    endpoints: endpoints.map(({ name, baseUrl }) => ({
      name,
      baseUrl: redact(baseUrl),
      requests: sent.get(name) ?? 0,
    })),
  }
}

export function costOf(results: readonly ScenarioResult[]): Cost {
  return results.map(({ cost }) => cost).reduce(addCosts, noCost)
}

/** Adds to each violation what its scenarios found on each endpoint alone. */
export function withEndpoints(
  requirements: readonly RequirementResult[],
  results: ResultsAlone,
  { profile, exchangesFile }: RunSetup,
): RequirementResult[] {
  if (results.size === 0) return [...requirements]
  const recording = new StoredRecording(exchangesFile)
  const all = endpointsOf(profile).map(({ name }) => name)
  return requirements.map((requirement) => {
    if (!isViolation(requirement)) return requirement
    const alone = Object.fromEntries(
      [...results].map(([name, found]) => [name, verdictAlone(requirement, found)]),
    )
    const between = endpointsIn([...recording.values()], requirement)
    const endpoints = { between: between.length > 1 ? between : all, alone }
    return {
      ...requirement,
      endpoints,
      message: `${requirement.message ?? requirement.title} (${describe(endpoints)})`,
    }
  })
}

function verdictAlone(
  { id, brokenBy }: RequirementResult,
  results: readonly ScenarioResult[],
): Alone {
  const again = results.filter(({ slug }) => brokenBy.includes(slug.replace(/@[A-Z]$/, '')))
  const found = again
    .flatMap(({ findings }) => findings)
    .filter(({ requirement }) => requirement === id)
  if (found.some(({ verdict }) => verdict === 'broken')) return 'violated'
  const isHeld = ({ findings }: ScenarioResult) =>
    findings.some(({ requirement, verdict }) => requirement === id && verdict === 'held')
  return again.length === brokenBy.length && again.every(isHeld) ? 'passed' : 'undecided'
}

/** The endpoints that the exchanges of a violation went to; those of its scenario if they went to only one. */
function endpointsIn(exchanges: readonly Exchange[], requirement: RequirementResult): string[] {
  const evidence = exchanges.filter(({ id }) => requirement.exchanges.includes(id))
  const named = namesOf(evidence)
  if (named.length > 1) return named
  const scenarios = new Set(evidence.map(({ labels }) => labels.scenario))
  return namesOf(exchanges.filter(({ labels }) => scenarios.has(labels.scenario)))
}

function namesOf(exchanges: readonly Exchange[]): string[] {
  const names = exchanges.flatMap(({ labels }) => labels.endpoint ?? [])
  return [...new Set(names)].sort()
}

function describe({ between, alone }: NonNullable<RequirementResult['endpoints']>): string {
  const named = (verdict: Alone) =>
    Object.entries(alone).flatMap(([name, found]) => (found === verdict ? [name] : []))
  const [passed, violated, undecided] = [named('passed'), named('violated'), named('undecided')]
  if (violated.length === 0 && undecided.length === 0) {
    return `passes on each endpoint alone, violated between ${joined(between)}`
  }
  if (passed.length === 0 && undecided.length === 0)
    return 'violated on each endpoint alone as well'
  return [
    ...(violated.length > 0 ? [`violated on ${joined(violated)} alone`] : []),
    ...(passed.length > 0 ? [`passes on ${joined(passed)} alone`] : []),
    ...(undecided.length > 0 ? [`undecided on ${joined(undecided)} alone`] : []),
  ].join(', ')
}

function joined(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
