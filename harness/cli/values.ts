import { InvalidArgumentError } from 'commander'
import { maxTimerMs, timerLimitText } from '../../contract/timer.ts'
import { asConfigurationError } from '../conformance/errors.ts'
import { readInputFile } from '../conformance/input-file.ts'
import type { Source } from '../conformance/profile/document.ts'
import type { Misbehavior, Part } from '../load/plan/plan.ts'

export const positiveInteger = integer('a positive integer', 1)
export const wholeNumber = integer('0 or a positive integer', 0)
export const portNumber = integer('a port number from 0 to 65535', 0, 65_535)

function integer(what: string, min: number, max = Number.POSITIVE_INFINITY) {
  return (text: string): number => {
    const value = Number(text)
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`must be ${what}`)
  }
}

/** Parses a repeatable flag with comma-separated values. */
export const list = separated(',')
/** Parses a repeatable flag; semicolons separate several values in the environment. */
export const expressions = separated(';')

function separated(sign: string) {
  return (text: string, before: readonly string[] = []): readonly string[] => {
    const parts = text.split(sign).map((part) => part.trim())
    return [...before, ...parts.filter(Boolean)]
  }
}

/** Parses a seed, which becomes part of headers and of generated names. */
export function seed(text: string): string {
  if (!/^[A-Za-z0-9._-]{1,40}$/.test(text)) {
    throw new InvalidArgumentError('must be 1 to 40 letters, digits, dots, dashes or underscores')
  }
  return text
}

/** Milliseconds as a bare number. */
export function milliseconds(text: string): number {
  return withinTimers(positiveInteger(text))
}

/** Milliseconds of `500ms`, `30s`, `2m` or `1h`. */
export function duration(text: string): number {
  const ms = optionalDuration(text)
  if (ms === 0) throw new InvalidArgumentError('must be longer than 0')
  return ms
}

/** The same, with `0s` allowed. */
export function optionalDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim())
  const unit = units[match?.[2] ?? '']
  if (unit === undefined) {
    throw new InvalidArgumentError('must be a time, e.g. 500ms, 30s, 2m or 1h')
  }
  return withinTimers(Number(match?.[1]) * unit)
}

function withinTimers(ms: number): number {
  if (ms > maxTimerMs) throw new InvalidArgumentError(timerLimitText)
  return ms
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

export function rate(text: string): number {
  const value = Number(text)
  if (!(value > 0) || value > maxRate) {
    throw new InvalidArgumentError(
      `must be a number of transactions per second, above 0 and at most ${maxRate}`,
    )
  }
  return value
}

/** More than any generator sends: another unit was meant, and planning the arrivals takes minutes. */
const maxRate = 1_000_000

/** `0..100/60s`. */
export function ramp(text: string) {
  const match = /^(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)\/(\S+)$/.exec(text.trim())
  if (match === null) throw new InvalidArgumentError('must be FROM..TO/TIME, e.g. 0..100/60s')
  const [from, to] = [Number(match[1]), Number(match[2])]
  if (from === 0 && to === 0) throw new InvalidArgumentError('must not go from 0 to 0')
  return { from, to, overMs: duration(match[3] ?? '') }
}

/** `10:30s,20:30s,40:1m`. */
export function steps(text: string) {
  const all = text.split(',').map((part) => {
    const [perSecond, time, ...rest] = part.trim().split(':')
    if (perSecond === undefined || time === undefined || rest.length > 0) {
      throw new InvalidArgumentError('must be RATE:TIME,RATE:TIME, e.g. 10:30s,20:30s')
    }
    return { perSecond: rate(perSecond), forMs: duration(time) }
  })
  withinTimers(all.reduce((sum, { forMs }) => sum + forMs, 0))
  return all
}

/** `I/N`: arrivals whose index modulo N is I. Counting shards from 0 or from 1 both covers the plan. */
export function shard(text: string): Part {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text.trim())
  const [index, of] = [Number(match?.[1]), Number(match?.[2])]
  if (match === null || of < 1 || index > of) {
    throw new InvalidArgumentError('must be I/N with I from 0 to N, e.g. 2/8')
  }
  return { index: index % of, of }
}

/** ISO 8601, or Unix seconds. */
export function moment(text: string): Date {
  const date = /^\d{9,11}(\.\d+)?$/.test(text) ? new Date(Number(text) * 1000) : new Date(text)
  if (Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError('must be a time, e.g. 2026-12-01T10:00:00Z, or Unix seconds')
  }
  withinTimers(date.getTime() - Date.now())
  return date
}

function percentIn(text: string): number {
  return Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim())?.[1] ?? Number.NaN) / 100
}

export function share(text: string): number {
  const value = text.includes('%') ? percentIn(text) : Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) {
    throw new InvalidArgumentError('must be a share from 0 to 1, or a percentage')
  }
  return value
}

/** `1%`, `0.5%`; a bare 1 is ambiguous: 1 % or all. */
export function percentage(text: string): number {
  const value = percentIn(text)
  if (!(value >= 0 && value <= 1)) {
    throw new InvalidArgumentError('must be a percentage from 0% to 100%, e.g. 1%')
  }
  return value
}

const behaviors = { 'slow-reader': 'slowReader', abort: 'abort', churn: 'churn' } as const

/** `slow-reader=0.1,abort=0.05,churn=0.02`. */
export function misbehavior(text: string): Misbehavior {
  const found = { slowReader: 0, abort: 0, churn: 0 }
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.trim().split('=')
    const behavior = Object.entries(behaviors).find(([known]) => known === name)?.[1]
    if (behavior === undefined) {
      const [given, known] = [JSON.stringify(name), Object.keys(behaviors).join(', ')]
      throw new InvalidArgumentError(`unknown behavior ${given}; expected one of ${known}`)
    }
    found[behavior] = share(value)
  }
  if (found.slowReader + found.abort + found.churn > 1) {
    throw new InvalidArgumentError('the shares add up to more than 1')
  }
  return found
}

/**
 * Text of a file that the command line names.
 * @param problem start of the message, such as `cannot read the baseline`
 * @throws ConfigurationError with the reason
 */
export function inputText(file: string, problem: string, maxBytes?: number): string {
  return asConfigurationError(Error, () => readInputFile(file, maxBytes), problem)
}

/**
 * Reads the file of a flag.
 * @throws ConfigurationError that names the flag and the reason
 */
export function readSource(flag: string, file: string): Source {
  return { name: file, text: inputText(file, `${flag}: cannot read ${file}`) }
}
