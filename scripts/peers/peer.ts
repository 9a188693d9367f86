/** A load generator: its arguments, and the places of its figures. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Moment } from './server.ts'

export interface Order {
  /** URL without a path. */
  readonly url: string
  readonly key: string
  /** Requests a second, evenly spaced. */
  readonly rate: number
  readonly seconds: number
  /** Tokens of each answer. */
  readonly tokens: number
  /** Connections that suffice for the requests in flight. */
  readonly connections: number
  /** Folder for its files; exists. */
  readonly folder: string
}

/** Place of p50 and p99 in a report. */
interface Source<Of> {
  /** Path of the object that has them, such as `metrics.ttft`. */
  readonly at: string
  /** Names of the two members; `p50` and `p99` by default. */
  readonly names?: readonly [string, string]
  /** Milliseconds of the unit; 1 by default. */
  readonly unit?: number
  /** The moment that the program measures, or its definition of a gap. */
  readonly of: Of
}

export interface Peer {
  readonly name: string
  readonly program: string
  readonly version: readonly string[]
  /** Prepares its files. */
  readonly args: (order: Order) => readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Report of the program: a JSON file in the folder, or a function that reads it. */
  readonly report: string | ((order: Order) => unknown)
  readonly ttft?: Source<'firstEvent' | 'firstToken'>
  readonly gap?: Source<'gap' | 'tpot'>
  readonly e2e: Source<Moment>
  /** Requests that the report counts as failed. */
  readonly failures: (report: unknown) => number
  readonly note: string
}

/** File with the standard output of the program, in its folder. */
export const stdoutName = 'stdout'

export const path = '/v1/chat/completions'
export const model = 'svc-main-model'
export const prompt = 'Tell me about the harbor.'

export const bodyOf = ({ tokens }: Order) =>
  JSON.stringify({
    ...{ model, stream: true, max_tokens: tokens },
    messages: [{ role: 'user', content: prompt }],
  })

export function write({ folder }: Order, name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

export function read({ folder }: Order, name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}

/** Number at a path such as `benchmarks.0.metrics`; NaN if there is none. */
export function numberAt(report: unknown, place: string): number {
  const value = valueAt(report, place)
  return typeof value === 'number' ? value : Number.NaN
}

/** Sum of the members of an object, without one of them. */
export function sumAt(report: unknown, place: string, without = ''): number {
  return Object.entries(valueAt(report, place) ?? {})
    .filter(([name]) => name !== without)
    .reduce((sum, [, count]) => sum + Number(count), 0)
}

function valueAt(report: unknown, place: string): unknown {
  return place.split('.').reduce((part: unknown, name) => Object(part)[name], report)
}
