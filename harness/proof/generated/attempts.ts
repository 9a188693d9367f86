/** Generated targets, at a depth: faults of the grammar, and dialects composed at random. */
import {
  composeDialects,
  composedDialects,
  dialects,
  type GeneratedFault,
  generatedFault,
  generatedFaultNamed,
} from '../../../reference-server/deviations/index.ts'
import { type Depth, depths } from '../../conformance/run-setup.ts'
import type { Engine } from '../../conformance/vitest/engine.ts'
import { dialectAttempt, plainAttempt } from '../runs/attempts.ts'
import { differingPlaces, fingerprintOf } from '../runs/fingerprint.ts'
import { type Attempt, observe } from '../runs/run-target.ts'
import {
  failedIds,
  nothingJudged,
  type RequirementVerdict,
  type TargetResult,
} from '../verdicts.ts'
import { type GeneratedTarget, type Healthy, runningOnly } from './healthy.ts'

export interface GeneratedRun {
  readonly fault: GeneratedFault
  readonly depth: Depth
}

/** Name for the pool, such as `NAME@full`. */
export function atDepth(name: string, depth: Depth): string {
  return `${name}@${depth}`
}

/** Names of the first `count` faults of a seed, each once. */
export function generatedNames(count: number, seed: number): readonly string[] {
  const names = new Set<string>()
  for (let at = 0; names.size < count && at < 10 * count; at += 1) {
    names.add(generatedFault(seed, at).name)
  }
  return [...names]
}

/** The run for a name with a depth; undefined for the name of another target. */
export function generatedRunNamed(name: string): GeneratedRun | undefined {
  const { bare, depth } = parts(name)
  const fault = depth && generatedFaultNamed(bare)
  return fault && { fault, depth }
}

/** Random combinations of three dialects each, whose names `--dialect` accepts one by one. */
export function composedNames(count: number, seed: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => composedDialects(3, seed, at).name)
}

/** Dialects joined by ` + `, with a depth. */
export function composedAttempt(name: string): Attempt | undefined {
  const { bare, depth } = parts(name)
  const names = bare.split(' + ')
  const chosen = names.flatMap((one) => dialects.find((dialect) => dialect.name === one) ?? [])
  if (depth === undefined || chosen.length < names.length) return undefined
  return { ...dialectAttempt('combination', composeDialects(chosen)), name, depth }
}

/** Runs the scenarios that send a request which the fault can change, again with exploring if they miss it. */
export async function runGenerated(
  name: string,
  { fault, depth }: GeneratedRun,
  { stable, accused, titlesFor }: Healthy,
  engine: Engine,
  { open, explore }: GeneratedTarget,
): Promise<TargetResult> {
  const titles = titlesFor(fault)
  if (titles.length === 0) return { ...unreached, name }
  const attempt = { ...plainAttempt('full'), name, open: () => open(fault.patch), depth }
  const caughtBy = (requirements: readonly RequirementVerdict[]) =>
    failedIds({ requirements }).filter((id) => !accused.includes(id))
  const run = async (more: Pick<Attempt, 'explore'> = {}) => {
    const { traffic, requirements, ...verdicts } = await observe(
      { ...attempt, kind: 'generated', ...more },
      runningOnly(titles, engine),
      (file, red) => (caughtBy(red).length > 0 ? [] : differingPlaces(stable, fingerprintOf(file))),
    )
    const own = requirements.filter(({ id }) => !accused.includes(id))
    const reached = fault.reached()
    const isCaught = caughtBy(own).length > 0
    return {
      traffic,
      isCaught,
      result: { ...unreached, name, ...verdicts, reached, requirements: own },
    }
  }
  const { traffic, isCaught, result } = await run()
  if (result.reached === 0) return result
  // A late stream has the same content as the others.
  if (isCaught || fault.family === 'late') return { ...result, applied: true }
  if (traffic.length === 0) return result
  const again = await run(explore === undefined ? {} : { explore })
  const internalErrors = [...result.internalErrors, ...again.result.internalErrors]
  // An answer may differ by chance, but hardly the same one twice.
  const applied = again.isCaught || traffic.some((place) => again.traffic.includes(place))
  return { ...(again.isCaught ? again.result : result), internalErrors, applied }
}

const unreached = { ...nothingJudged, kind: 'generated', outcome: 'conforms', reached: 0 } as const

function parts(name: string): { readonly bare: string; readonly depth: Depth | undefined } {
  const [, bare = '', last] = /^(.+)@(\w+)$/s.exec(name) ?? []
  return { bare, depth: depths.find((one) => one === last) }
}

interface Case extends GeneratedRun {
  readonly state: 'caught' | 'missed' | 'inert' | 'unreached'
}

/**
 * A table as text, and the faults that were missed. A fault whose change had no effect on the wire is left out.
 * One that no request reached has a separate column, because it shows what the suites do not try.
 */
export function generatedText(results: readonly TargetResult[], seed: number): readonly string[] {
  const cases = results.flatMap((result): Case[] => {
    const run = generatedRunNamed(result.name)
    return run === undefined ? [] : [{ ...run, state: stateOf(result) }]
  })
  return [
    ...cases
      .filter(({ state }) => state === 'missed' || state === 'unreached')
      .map(({ depth, state, fault }) => `?? ${depth} ${state}: ${fault.name}`),
    ...[...Map.groupBy(cases, ({ depth }) => depth)].flatMap(([depth, all]) => [
      `seed ${seed}, depth ${depth}`,
      ...tableOf(all),
    ]),
  ]
}

/** The share is that of the faults that a depth caught, of those that change a response. */
function tableOf(all: readonly Case[]): readonly string[] {
  const groups = [
    ['all', all] as const,
    ...sorted(Map.groupBy(all, ({ fault }) => `${fault.conditions.length} condition(s)`)),
    ...sorted(Map.groupBy(all, ({ fault }) => fault.family)),
  ]
  const lines = groups.map(([name, group]) => {
    const count = (sought: Case['state']) => group.filter(({ state }) => state === sought).length
    const caught = count('caught')
    const of = caught + count('missed')
    const share = of === 0 ? '' : `${Math.round((100 * caught) / of)} %`
    return [name, group.length, count('inert'), count('unreached'), `${caught} of ${of}`, share]
  })
  const head = ['', 'drawn', 'no effect', 'not reached', 'caught', 'share']
  return [head, ...lines].map(([name, ...cells]) =>
    [`  ${String(name).padEnd(15)}`, ...cells.map((cell) => String(cell).padStart(12))].join(''),
  )
}

function sorted(groups: ReadonlyMap<string, readonly Case[]>) {
  return [...groups].sort(([a], [b]) => a.localeCompare(b))
}

function stateOf(result: TargetResult): Case['state'] {
  if (failedIds(result).length > 0) return 'caught'
  if ((result.reached ?? 0) === 0) return 'unreached'
  return result.applied ? 'missed' : 'inert'
}
