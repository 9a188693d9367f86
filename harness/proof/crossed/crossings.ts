/** Each fault combined with legal dialects, by seed. */
import {
  combinationNamed,
  type Dialect,
  dialects,
  type Fault,
  faults,
} from '../../../reference-server/deviations/index.ts'
import { pick, seededDraw } from '../../../reference-server/runtime/random.ts'
import { surfacesOf } from '../../conformance/profile/selection.ts'
import { failedIds, type TargetResult } from '../verdicts.ts'

export interface Crossing {
  readonly fault: Fault
  readonly dialect: Dialect
}

/** Number of combinations of dialects that a whole proof shows to be legal, from `combination-1`. */
export const combinationCount = 200

const separator = ' + '

/** Crosses every fault `count` times: dialects and combinations of dialects in turn. */
export function crossings(count: number, seed: number): Crossing[] {
  return faults.flatMap((fault) => crossingsOf(fault, count, seed))
}

/** `v3-answer-repeated + line-ends-crlf`; also the flags of `chatgen serve` that start it. */
export function crossingName({ fault, dialect }: Crossing): string {
  return `${fault.name}${separator}${dialect.name}`
}

/** The crossing with that name; undefined for the name of another target. */
export function crossingNamed(name: string): Crossing | undefined {
  const [faultName, dialectName = ''] = name.split(separator)
  const fault = faults.find((one) => one.name === faultName)
  const dialect = dialects.find((one) => one.name === dialectName) ?? combinationNamed(dialectName)
  return fault && dialect ? { fault, dialect } : undefined
}

function crossingsOf(fault: Fault, count: number, seed: number): Crossing[] {
  const draw = seededDraw(seed, 'crossed', fault.name)
  const surfaces = new Set(fault.breaks.flatMap(surfacesOf))
  const single = dialects.filter(({ surface }) => surface === undefined || surfaces.has(surface))
  const combined = Array.from({ length: combinationCount }, (_, at) => `combination-${at + 1}`)
  // More than `count`, because some clash with the fault.
  const drawn = Array.from({ length: 4 * count }, (_, at) =>
    at % 2 === 0 ? pick(draw, single) : combinationNamed(pick(draw, combined)),
  )
  const compatible = drawn.flatMap((dialect) =>
    dialect === undefined || clashReason(fault, dialect) !== undefined ? [] : [dialect],
  )
  return [...new Map(compatible.map((dialect) => [dialect.name, dialect])).values()]
    .slice(0, count)
    .map((dialect) => ({ fault, dialect }))
}

interface Clash {
  readonly dialects: readonly string[]
  readonly faults: readonly string[]
  readonly because: string
}

export const clashes: readonly Clash[] = [
  {
    dialects: ['comment-heartbeats', 'blank-lines-more'],
    faults: ['openai-stream-blocks-run-together'],
    because: 'the empty line before a block ends the block before it',
  },
  {
    dialects: ['done-marker'],
    faults: ['stream-last-block-open', 'stream-last-line-open'],
    because: 'the marker becomes a part of the last block, which is no JSON object then',
  },
  {
    dialects: ['answers-terse'],
    faults: [
      'v3.generate: max_tokens is ignored (stream: not true)',
      'v3.generate: max_tokens is ignored (stream: true)',
    ],
    because: 'no answer is longer than its limit',
  },
  {
    dialects: ['reasoning-short'],
    faults: ['v3.generate: the last response.reasoning_text.delta is lost'],
    because: 'the last delta of the reasoning is the only one',
  },
  {
    dialects: ['history-ends-on-an-empty-page'],
    faults: ['v3-history-counts-from-the-end'],
    because: 'the cursor behind the last row is that of the first page, and the walk never ends',
  },
]

/** The reason why a dialect, or one of a combination, cannot be combined with a fault. */
export function clashReason(fault: Fault, dialect: Dialect): string | undefined {
  const worn = [dialect.name, ...dialect.summary.split(', ')]
  return clashes.find(
    (clash) =>
      clash.dialects.some((name) => worn.includes(name)) && clash.faults.includes(fault.name),
  )?.because
}

export type CrossedFigures = NonNullable<ReturnType<typeof crossedFigures>['crossed']>
export type CrossedLine = ReturnType<typeof crossedLine>

/** Faults in dialects: the number found, and each one that was not found by its requirements alone. */
export function crossedFigures(faults: readonly Fault[], results: readonly TargetResult[]) {
  const breaks = new Map(faults.map((fault) => [fault.name, fault.breaks]))
  const lines = results.flatMap((result) => {
    const { crossed } = result
    return crossed ? [crossedLine(result, crossed, breaks.get(crossed.fault) ?? [])] : []
  })
  const others = lines.filter(
    ({ state, undeclared }) => state !== 'killed' || undeclared.length > 0,
  )
  const figures = {
    targets: lines.length,
    faults: new Set(lines.map(({ fault }) => fault)).size,
    /** Number of targets with a violated requirement of the fault and no other violation. */
    killed: lines.length - others.length,
    others,
  }
  return lines.length === 0 ? {} : { crossed: figures }
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

/**
 * The state of a fault in a dialect. `undecided`: a requirement of the fault has no verdict; `hidden`: the server
 * answers as the dialect without the fault; `unseen`: all requirements of the fault pass; `killed`: found, but other
 * requirements may have turned red too. `undeclared` are those that neither the fault nor the dialect alone turns red.
 */
function crossedLine(
  { requirements, applied }: TargetResult,
  { fault, dialect, redAlone }: NonNullable<TargetResult['crossed']>,
  breaks: readonly string[],
) {
  const red = failedIds({ requirements })
  const isKilled = red.some((id) => breaks.includes(id))
  const open = requirements.filter(
    ({ id, verdict }) =>
      !isKilled && breaks.includes(id) && !['pass', 'observed'].includes(verdict),
  )
  const unfound = open.length > 0 ? 'undecided' : applied ? 'unseen' : 'hidden'
  return {
    fault,
    dialect,
    undeclared: red.filter((id) => !breaks.includes(id) && !redAlone.includes(id)),
    state: isKilled ? 'killed' : unfound,
    reasons: open.map(({ id, verdict, message }) => `${id} ${verdict}: ${message}`),
  } as const
}
