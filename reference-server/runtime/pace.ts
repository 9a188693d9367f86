/** Pace of the fake model: time to the first token, time between tokens, both seeded. */
import { messageOf } from '../../contract/text.ts'
import { maxTimerMs, timerLimitText } from '../../contract/timer.ts'
import { type Clock, sleepUntil } from './clock.ts'
import { type Draw, seededDraw } from './random.ts'

export interface Pace {
  /** Milliseconds from the request to the first token; the median if they are spread. */
  readonly ttftMs: number
  /** Milliseconds between two tokens; the median if they are spread. */
  readonly gapMs: number
  /** Share, 0 to 1, by which each interval that is not spread may be shorter or longer. */
  readonly jitter: number
  /** Sigma of the lognormal distribution of the time to the first token; 0 or absent: constant. */
  readonly ttftSigma?: number
  /** Sigma of the lognormal distribution of the time between tokens; 0 or absent: constant. */
  readonly gapSigma?: number
}

export interface ServerPace extends Pace {
  readonly freeze?: FreezeOptions
}

/** Milliseconds after the start at which each of `count` tokens is due; ascending. */
export type Timing = (count: number, pace?: Partial<Pace>) => readonly number[]

export class PaceSyntaxError extends Error {
  readonly code = 'pace_syntax'
  override readonly name = 'PaceSyntaxError'
}

export const asFastAsPossible: ServerPace = { ttftMs: 0, gapMs: 0, jitter: 0 }

/**
 * Reads `ttft=200ms,gap=lognormal(20ms,0.4),jitter=0.2,freeze=5s@10s`: any of the four, in any order;
 * times in `ms` (the default) or `s`. `lognormal(MEDIAN,SIGMA)` spreads a time; `freeze=FOR@AT` freezes the
 * server once for FOR, at AT after its first answer.
 *
 * @throws PaceSyntaxError that names the part it cannot read
 */
export function parsePace(text: string): ServerPace {
  return { ...asFastAsPossible, ...readParts(text, { ...ofRun, freeze }) }
}

/** The pace of one run: contains only the parts in the text, and no freeze. */
export function parsePartialPace(text: string): Partial<Pace> {
  return readParts(text, ofRun)
}

/** Each run draws its own intervals, and the n-th run of two servers with one seed draws the same. */
export function seededTiming(seed: number, pace: Pace): Timing {
  let runs = 0
  return (count, override) => {
    const { ttftMs, gapMs, jitter, ttftSigma = 0, gapSigma = 0 } = { ...pace, ...override }
    runs += 1
    if (ttftMs === 0 && gapMs === 0) return new Array<number>(count).fill(0)
    const draw = seededDraw(seed, 'pace', String(runs))
    const due: number[] = []
    let at = 0
    for (let index = 0; index < count; index += 1) {
      const [ms, sigma] = index === 0 ? [ttftMs, ttftSigma] : [gapMs, gapSigma]
      at += ms * (sigma > 0 ? lognormal(draw, sigma) : 1 + jitter * (2 * draw() - 1))
      due.push(at)
    }
    return due
  }
}

/** Draws with the median 1, using one of the two values of a Box–Muller transform. */
function lognormal(draw: Draw, sigma: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - draw()))
  return Math.exp(sigma * radius * Math.cos(2 * Math.PI * draw()))
}

type Readers<Read> = Readonly<Record<string, (value: string) => Read>>

const ofRun: Readers<Partial<Pace>> = {
  ttft: (value) => {
    const { ms, sigma } = spread(value)
    return { ttftMs: ms, ttftSigma: sigma }
  },
  gap: (value) => {
    const { ms, sigma } = spread(value)
    return { gapMs: ms, gapSigma: sigma }
  },
  jitter: (value) => ({ jitter: within(value, 1, 'expected a number from 0 to 1') }),
}

function readParts<Read extends object>(text: string, readers: Readers<Read>): Read {
  const comma = /,(?![^()]*\))/
  return Object.assign({}, ...text.split(comma).map((part) => readPart(part.trim(), readers)))
}

/** The readers throw without the part. */
function readPart<Read>(part: string, readers: Readers<Read>): Read {
  try {
    const [name = '', value = '', ...rest] = part.split('=')
    if (rest.length > 0 || value === '') throw new PaceSyntaxError('expected name=value')
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (read !== undefined) return read(value)
    throw new PaceSyntaxError(`known names are ${listed(Object.keys(readers))}`)
  } catch (error) {
    throw new PaceSyntaxError(`pace: cannot read "${part}": ${messageOf(error)}`)
  }
}

/** A time, or `lognormal(MEDIAN,SIGMA)`. */
function spread(value: string): { readonly ms: number; readonly sigma: number } {
  if (!value.startsWith('lognormal')) return { ms: milliseconds(value), sigma: 0 }
  const [, median, sigma] = /^lognormal\(([^,()]+),([^,()]+)\)$/.exec(value) ?? []
  if (median === undefined || sigma === undefined) {
    throw new PaceSyntaxError('expected lognormal(MEDIAN,SIGMA) such as lognormal(200ms,0.4)')
  }
  return {
    ms: milliseconds(median.trim()),
    sigma: within(sigma.trim(), maxSigma, `expected a sigma from 0 to ${maxSigma}`),
  }
}

/** Limit beyond which one interval in a thousand would exceed ten thousand medians. */
const maxSigma = 3

function freeze(value: string): { readonly freeze: FreezeOptions } {
  const [forHow, at, ...rest] = value.split('@')
  if (forHow === undefined || at === undefined || rest.length > 0) {
    throw new PaceSyntaxError('expected FOR@AT such as 5s@10s')
  }
  return { freeze: { forMs: milliseconds(forHow), atMs: milliseconds(at) } }
}

function milliseconds(value: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(value)
  if (match?.[1] === undefined) throw new PaceSyntaxError('expected a time such as 20ms or 0.5s')
  const ms = Number(match[1]) * (match[2] === 's' ? 1000 : 1)
  if (ms > maxTimerMs) throw new PaceSyntaxError(timerLimitText)
  return ms
}

function within(value: string, max: number, expected: string): number {
  const number = Number(value)
  if (value === '' || !(number >= 0 && number <= max)) throw new PaceSyntaxError(expected)
  return number
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

export interface FreezeOptions {
  readonly forMs: number
  /** Time after the first answer. */
  readonly atMs: number
}

/** Wait before the server sends anything; undefined if there is none. */
export type Pause = (signal: AbortSignal) => Promise<void> | undefined

export function pauseOnce(clock: Clock, { forMs, atMs }: FreezeOptions): Pause {
  let firstAnswerAt: number | undefined
  return (signal) => {
    const now = clock.now()
    firstAnswerAt ??= now
    const begins = firstAnswerAt + atMs
    return now >= begins && now < begins + forMs
      ? sleepUntil(clock, begins + forMs, signal)
      : undefined
  }
}

export async function* withPause<Value>(
  values: AsyncIterable<Value>,
  pause: Pause,
  signal: AbortSignal,
): AsyncGenerator<Value> {
  for await (const value of values) {
    await pause(signal)
    yield value
  }
}
