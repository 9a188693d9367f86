/** Share of the generated faults that a depth catches, by effect and by number of conditions. */
import { failedIds, type TargetResult } from '../verdicts.ts'
import { type GeneratedRun, generatedRunNamed } from './attempts.ts'

interface Case extends GeneratedRun {
  readonly result: TargetResult
}

/** Number of faults that a depth caught, of those that change a response. */
interface Share {
  readonly caught: number
  readonly of: number
}

/**
 * A table as text, and the faults that were missed. A fault whose change had no effect on the wire is left out.
 * One that no request reached has a separate column, because it shows what the suites do not try.
 */
export function generatedText(results: readonly TargetResult[], seed: number): readonly string[] {
  const cases = casesOf(results)
  return [
    ...cases
      .filter((one) => stateOf(one) === 'missed' || stateOf(one) === 'unreached')
      .map((one) => `?? ${one.depth} ${stateOf(one)}: ${one.fault.name}`),
    ...[...Map.groupBy(cases, ({ depth }) => depth)].flatMap(([depth, all]) => [
      `seed ${seed}, depth ${depth}`,
      ...tableOf(all),
    ]),
  ]
}

function tableOf(all: readonly Case[]): readonly string[] {
  const groups = [
    ['all', all] as const,
    ...sorted(Map.groupBy(all, ({ fault }) => `${fault.conditions.length} condition(s)`)),
    ...sorted(Map.groupBy(all, ({ fault }) => fault.family)),
  ]
  const lines = groups.map(([name, group]) => {
    const count = (state: State) => String(group.filter((one) => stateOf(one) === state).length)
    const { caught, of } = shareOf(group)
    const share = of === 0 ? '' : `${Math.round((100 * caught) / of)} %`
    return [
      name,
      String(group.length),
      count('inert'),
      count('unreached'),
      `${caught} of ${of}`,
      share,
    ]
  })
  const head = ['', 'drawn', 'no effect', 'not reached', 'caught', 'share']
  return [head, ...lines].map((cells) =>
    cells.map((cell, at) => (at === 0 ? `  ${cell.padEnd(15)}` : cell.padStart(12))).join(''),
  )
}

function sorted(groups: ReadonlyMap<string, readonly Case[]>) {
  return [...groups].sort(([a], [b]) => a.localeCompare(b))
}

function casesOf(results: readonly TargetResult[]): readonly Case[] {
  return results.flatMap((result): Case[] => {
    const run = generatedRunNamed(result.name)
    return run === undefined ? [] : [{ ...run, result }]
  })
}

type State = 'caught' | 'missed' | 'inert' | 'unreached'

function stateOf({ result }: Case): State {
  if (failedIds(result).length > 0) return 'caught'
  if ((result.reached ?? 0) === 0) return 'unreached'
  return result.applied ? 'missed' : 'inert'
}

function shareOf(cases: readonly Case[]): Share {
  const caught = cases.filter((one) => stateOf(one) === 'caught').length
  return { caught, of: caught + cases.filter((one) => stateOf(one) === 'missed').length }
}
