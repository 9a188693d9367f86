/** Share of the generated faults that each depth catches, by effect and by number of conditions. */
import { redRows, type TargetResult } from '../verdicts.ts'
import { type GeneratedRun, generatedRunNamed } from './attempts.ts'

interface Case extends GeneratedRun {
  readonly result: TargetResult
}

/**
 * A table as text. A fault that was reached and changed no response is left out; one that no request reached
 * counts as missed.
 */
export function generatedFigures(results: readonly TargetResult[]): readonly string[] {
  const cases = results.flatMap((result): Case[] => {
    const run = generatedRunNamed(result.name)
    return run === undefined ? [] : [{ ...run, result }]
  })
  return [...Map.groupBy(cases, ({ depth }) => depth)].flatMap(([depth, all]) => {
    const visible = all.filter((one) => !isInert(one))
    const groups = [
      ...Map.groupBy(visible, conditionsOf),
      ...Map.groupBy(visible, ({ fault }) => fault.family),
    ]
    return [
      `depth ${depth}: ${shareOf(visible)}; ${all.length - visible.length} of ${all.length} change no response`,
      ...groups.map(([name, group]) => `  ${name}: ${shareOf(group)}`),
    ]
  })
}

/** Faults that no depth caught, in words. */
export function missedFaults(results: readonly TargetResult[]): readonly string[] {
  return results.flatMap((result) => {
    const run = generatedRunNamed(result.name)
    if (run === undefined || isInert({ ...run, result }) || isCaught(result)) return []
    return [`${result.name} ${result.reached ? 'passed' : 'not reached'}: ${run.fault.summary}`]
  })
}

function isInert({ result }: Case): boolean {
  return (result.reached ?? 0) > 0 && !result.applied && !isCaught(result)
}

function isCaught(result: TargetResult): boolean {
  return redRows(result).length > 0
}

function conditionsOf({ fault }: Case): string {
  return fault.conditions.length === 1 ? '1 condition' : `${fault.conditions.length} conditions`
}

function shareOf(cases: readonly Case[]): string {
  const caught = cases.filter(({ result }) => isCaught(result)).length
  const reached = cases.filter(({ result }) => (result.reached ?? 0) > 0).length
  const share = cases.length === 0 ? 0 : Math.round((100 * caught) / cases.length)
  return `${caught} of ${cases.length} caught (${share} %), ${reached} reached`
}
