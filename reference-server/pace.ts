/** How fast the fake model speaks: time to the first token, time between tokens, seeded jitter. */
import { seededDraw } from './random.ts'

export interface Pace {
  /** Milliseconds from the request to the first token. */
  readonly ttftMs: number
  /** Milliseconds between two tokens. */
  readonly gapMs: number
  /** Share of each interval, 0 to 1, by which it may be shorter or longer. */
  readonly jitter: number
}

/** Milliseconds after the start at which each of `count` tokens is due; ascending. */
export type Timing = (count: number, pace?: Partial<Pace>) => readonly number[]

export class PaceSyntaxError extends Error {
  readonly code = 'pace_syntax'
  override readonly name = 'PaceSyntaxError'
}

export const asFastAsPossible: Pace = { ttftMs: 0, gapMs: 0, jitter: 0 }

/**
 * Reads `ttft=200ms,gap=20ms,jitter=0.2`: any of the three, in any order; times in `ms` (the default)
 * or `s`.
 *
 * @throws PaceSyntaxError that names the part it cannot read
 */
export function parsePace(text: string): Pace {
  return { ...asFastAsPossible, ...parsePartialPace(text) }
}

/** As `parsePace`, but leaves out what the text does not say. */
export function parsePartialPace(text: string): Partial<Pace> {
  return Object.assign({}, ...text.split(',').map((part) => parsePart(part.trim())))
}

/** Each run draws its own jitter, and the n-th run of two servers with one seed draws the same. */
export function seededTiming(seed: number, pace: Pace): Timing {
  let runs = 0
  return (count, override) => {
    const { ttftMs, gapMs, jitter } = { ...pace, ...override }
    runs += 1
    if (ttftMs === 0 && gapMs === 0) return new Array<number>(count).fill(0)
    const draw = seededDraw(seed, 'pace', String(runs))
    const due: number[] = []
    let at = 0
    for (let index = 0; index < count; index += 1) {
      at += (index === 0 ? ttftMs : gapMs) * (1 + jitter * (2 * draw() - 1))
      due.push(at)
    }
    return due
  }
}

function parsePart(part: string): Partial<Pace> {
  const [name, value = '', ...rest] = part.split('=')
  if (rest.length > 0 || value === '') throw unreadable(part, 'expected name=value')
  if (name === 'ttft') return { ttftMs: milliseconds(part, value) }
  if (name === 'gap') return { gapMs: milliseconds(part, value) }
  if (name === 'jitter') return { jitter: share(part, value) }
  throw unreadable(part, 'known names are ttft, gap and jitter')
}

function milliseconds(part: string, value: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(value)
  if (match?.[1] === undefined) throw unreadable(part, 'expected a time such as 20ms or 0.5s')
  return Number(match[1]) * (match[2] === 's' ? 1000 : 1)
}

function share(part: string, value: string): number {
  const number = Number(value)
  if (!(number >= 0 && number <= 1)) throw unreadable(part, 'expected a number from 0 to 1')
  return number
}

function unreadable(part: string, why: string): PaceSyntaxError {
  return new PaceSyntaxError(`pace: cannot read "${part}": ${why}`)
}
