import { InvalidArgumentError } from 'commander'

/** Values of the flags of a load run, read or refused. */

/** Milliseconds of `500ms`, `30s`, `2m` or `1h`. */
export function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim())
  const unit = units[match?.[2] ?? '']
  const value = Number(match?.[1])
  if (unit === undefined || !(value > 0)) {
    throw new InvalidArgumentError('must be a time such as 500ms, 30s, 2m or 1h')
  }
  return value * unit
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

export function rate(text: string): number {
  const value = Number(text)
  if (!(value > 0) || !Number.isFinite(value)) {
    throw new InvalidArgumentError('must be a number of transactions a second, above 0')
  }
  return value
}

export interface Ramp {
  readonly from: number
  readonly to: number
  readonly overMs: number
}

/** `0..100/60s`. */
export function ramp(text: string): Ramp {
  const match = /^(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)\/(\S+)$/.exec(text.trim())
  if (match === null) throw new InvalidArgumentError('must be FROM..TO/TIME, such as 0..100/60s')
  const [from, to] = [Number(match[1]), Number(match[2])]
  if (from === 0 && to === 0) throw new InvalidArgumentError('goes from 0 to 0')
  return { from, to, overMs: duration(match[3] ?? '') }
}

export interface RateStep {
  readonly perSecond: number
  readonly forMs: number
}

/** `10:30s,20:30s,40:1m`. */
export function steps(text: string): RateStep[] {
  return text.split(',').map((part) => {
    const [perSecond, time, ...rest] = part.trim().split(':')
    if (perSecond === undefined || time === undefined || rest.length > 0) {
      throw new InvalidArgumentError('must be RATE:TIME,RATE:TIME, such as 10:30s,20:30s')
    }
    return { perSecond: rate(perSecond), forMs: duration(time) }
  })
}

export interface Shard {
  readonly index: number
  readonly of: number
}

/** `I/N`: arrivals whose index leaves the rest I. Counting from 0 or from 1 both covers all of N. */
export function shard(text: string): Shard {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text.trim())
  const [index, of] = [Number(match?.[1]), Number(match?.[2])]
  if (match === null || of < 1 || index > of) {
    throw new InvalidArgumentError('must be I/N with I from 0 to N, such as 2/8')
  }
  return { index: index % of, of }
}

/** ISO 8601, or seconds after 1970. */
export function moment(text: string): Date {
  const date = /^\d{9,11}(\.\d+)?$/.test(text) ? new Date(Number(text) * 1000) : new Date(text)
  if (Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError('must be a time such as 2026-12-01T10:00:00Z, or Unix seconds')
  }
  return date
}

export function share(text: string): number {
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim())
  const value = percent === null ? Number(text) : Number(percent[1]) / 100
  if (text.trim() === '' || !(value >= 0 && value <= 1)) {
    throw new InvalidArgumentError('must be a share from 0 to 1, or a percentage')
  }
  return value
}

/** `1%`, `0.5%`; a bare 1 could be meant as either 1 % or all. */
export function percentage(text: string): number {
  const value = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim())?.[1] ?? Number.NaN) / 100
  if (!(value >= 0 && value <= 1)) {
    throw new InvalidArgumentError('must be a percentage from 0% to 100%, such as 1%')
  }
  return value
}

export interface Misbehaviour {
  readonly slowReader: number
  readonly abort: number
  readonly churn: number
}

const manners = { 'slow-reader': 'slowReader', abort: 'abort', churn: 'churn' } as const

/** `slow-reader=0.1,abort=0.05,churn=0.02`. */
export function misbehaviour(text: string): Misbehaviour {
  const found = { slowReader: 0, abort: 0, churn: 0 }
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.trim().split('=')
    if (!isManner(name)) {
      const known = Object.keys(manners).join(', ')
      throw new InvalidArgumentError(`${JSON.stringify(name)} is none of ${known}`)
    }
    found[manners[name]] = share(value)
  }
  if (found.slowReader + found.abort + found.churn > 1) {
    throw new InvalidArgumentError('the shares come to more than 1')
  }
  return found
}

/** May be repeated; in the environment, semicolons stand between several. */
export function expressions(text: string, before: readonly string[] = []): string[] {
  const parts = text.split(';').map((part) => part.trim())
  return [...before, ...parts.filter((part) => part !== '')]
}

function isManner(name: string): name is keyof typeof manners {
  return Object.hasOwn(manners, name)
}
