import type { Fault } from '../../../reference-server/deviations/index.ts'
import { failedIds, type TargetResult } from '../verdicts.ts'

/** Faults in dialects: the number found, and each one that was not. */
export interface CrossedFigures {
  readonly targets: number
  readonly faults: number
  /** Number of targets with a violated requirement of the fault and no other violation. */
  readonly killed: number
  readonly others: readonly CrossedLine[]
}

/** A fault in a dialect that was not found by its requirements alone. */
export interface CrossedLine {
  readonly fault: string
  readonly dialect: string
  /**
   * `undecided`: a requirement of the fault has no verdict; `hidden`: the server answers as the
   * dialect without the fault; `unseen`: all requirements of the fault pass; `killed`: found, but other
   * requirements turned red too.
   */
  readonly state: 'killed' | 'undecided' | 'hidden' | 'unseen'
  readonly reasons: readonly string[]
  /** Requirements that turned red although neither the fault nor the dialect alone causes it. */
  readonly undeclared: readonly string[]
}

export function crossedFigures(
  faults: readonly Fault[],
  results: readonly TargetResult[],
): { readonly crossed?: CrossedFigures } {
  const breaks = new Map(faults.map((fault) => [fault.name, fault.breaks]))
  const lines = results.flatMap((result) =>
    result.crossed
      ? [crossedLine(result, result.crossed, breaks.get(result.crossed.fault) ?? [])]
      : [],
  )
  if (lines.length === 0) return {}
  const others = lines.filter(
    ({ state, undeclared }) => state !== 'killed' || undeclared.length > 0,
  )
  return {
    crossed: {
      targets: lines.length,
      faults: new Set(lines.map(({ fault }) => fault)).size,
      killed: lines.length - others.length,
      others,
    },
  }
}

export function crossedObjections({ others }: CrossedFigures): string[] {
  return others.flatMap(({ fault, dialect, state, undeclared }) => [
    ...(state === 'unseen' ? [`${fault} + ${dialect}: passes unseen`] : []),
    ...undeclared.map((id) => `${fault} + ${dialect}: turns ${id} red without naming it`),
  ])
}

/** The figures, and a line for each fault that was not found. */
export function crossedText({ targets, faults, killed, others }: CrossedFigures): string[] {
  const count = (state: CrossedLine['state']) =>
    others.filter((line) => line.state === state).length
  return [
    `${targets} crossed targets of ${faults} faults: ${killed} killed, ${count('undecided')} undecided, ${count('hidden')} hidden by the dialect, ${count('unseen')} unseen`,
    ...others
      .filter(({ state }) => state !== 'killed')
      .map(({ fault, dialect, state, reasons }) => {
        return `  ${fault} + ${dialect}: ${[state, ...reasons].join('; ')}`
      }),
  ]
}

function crossedLine(
  result: TargetResult,
  { fault, dialect, redAlone }: NonNullable<TargetResult['crossed']>,
  breaks: readonly string[],
): CrossedLine {
  const red = failedIds(result)
  const undeclared = red.filter((id) => !breaks.includes(id) && !redAlone.includes(id))
  const of = { fault, dialect, undeclared }
  if (red.some((id) => breaks.includes(id))) return { ...of, state: 'killed', reasons: [] }
  const open = result.requirements.filter(
    ({ id, verdict }) => breaks.includes(id) && !['pass', 'observed'].includes(verdict),
  )
  if (open.length > 0) {
    const reasons = open.map(({ id, verdict, message }) => `${id} ${verdict}: ${message}`)
    return { ...of, state: 'undecided', reasons }
  }
  return { ...of, state: result.applied ? 'unseen' : 'hidden', reasons: [] }
}
