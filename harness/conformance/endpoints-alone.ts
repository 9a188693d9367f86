import type { Exchange, Finding } from '../../contract/index.ts'
import {
  type ConformanceReport,
  isViolation,
  type RequirementResult,
} from '../../contract/report/conformance.ts'
import { StoredRecording } from '../client/index.ts'
import { endpointsOf, profileOfEndpoint } from './profile/index.ts'
import type { ScenarioResult } from './report/verdicts.ts'
import type { RunSetup } from './run-setup.ts'
import { Collector } from './vitest/collector.ts'
import type { Engine } from './vitest/engine.ts'

type Alone = NonNullable<RequirementResult['endpoints']>['alone'][string]

/** Results of the scenarios that ran again, by the name of the endpoint. */
export type ResultsAlone = ReadonlyMap<string, readonly ScenarioResult[]>

/** Runs the scenarios that saw a violation again, on each of several endpoints alone. */
export async function runOnEachEndpoint(
  violated: readonly RequirementResult[],
  setup: RunSetup,
  run: Engine['run'],
  redact: (text: string) => string,
  signal: AbortSignal,
): Promise<ResultsAlone> {
  const scenarios = [...new Set(violated.flatMap(({ brokenBy }) => brokenBy))]
  const results = new Map<string, readonly ScenarioResult[]>()
  const endpoints = endpointsOf(setup.profile)
  if (endpoints.length < 2 || scenarios.length === 0) return results
  for (const endpoint of endpoints) {
    if (signal.aborted) break
    const collector = new Collector(() => {}, redact)
    const profile = profileOfEndpoint(setup.profile, endpoint)
    const again = { endpoint: endpoint.name, scenarios }
    await run(collector, { ...setup, profile, again }, signal)
    results.set(endpoint.name, collector.resultsInOrder())
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
  const exchanges = new StoredRecording(exchangesFile).values()
  const sent = Array.from(exchanges, ({ labels }) => labels.endpoint)
  return {
    endpoints: endpoints.map(({ name, baseUrl }) => ({
      name,
      baseUrl: redact(baseUrl),
      requests: sent.filter((one) => one === name).length,
    })),
  }
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

function verdictAlone({ id, brokenBy }: RequirementResult, all: readonly ScenarioResult[]): Alone {
  const again = all.filter(({ slug }) => brokenBy.includes(slug.replace(/@[A-Z]$/, '')))
  const found = (sought: Finding['verdict']) => (result: ScenarioResult) =>
    result.findings.some(({ requirement, verdict }) => requirement === id && verdict === sought)
  if (again.some(found('broken'))) return 'violated'
  return again.length === brokenBy.length && again.every(found('held')) ? 'passed' : 'undecided'
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
  const texts = { violated: 'violated', passed: 'passes', undecided: 'undecided' } as const
  const groups = Map.groupBy(Object.entries(alone), ([, verdict]) => verdict)
  const [only, ...others] = groups.keys()
  if (others.length === 0 && only === 'violated') return 'violated on each endpoint alone as well'
  if (others.length === 0 && only === 'passed') {
    return `passes on each endpoint alone, violated between ${list.format(between)}`
  }
  const parts = (Object.keys(texts) as Alone[]).flatMap((verdict) => {
    const names = groups.get(verdict)?.map(([name]) => name)
    return names ? [`${texts[verdict]} on ${list.format(names)} alone`] : []
  })
  return parts.join(', ')
}

/** British English has no comma before the `and`. */
const list = new Intl.ListFormat('en-GB')
