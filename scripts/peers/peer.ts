/** Load generators, from peers.yaml. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { type LoadReport, loadReport } from '../../reports/load/model/report.ts'
import { bin, filled } from '../foreign/programs.ts'

export interface Order {
  /** URL without a path. */
  readonly url: string
  readonly key: string
  /** Requests per second, evenly spaced. */
  readonly rate: number
  readonly seconds: number
  /** Tokens of each answer. */
  readonly tokens: number
  /** Connections that suffice for the requests in flight. */
  readonly connections: number
  /** Folder for its files; exists. */
  readonly folder: string
}

/** Place of p50 and p99 in a report: of the object that has them, the names of its members, milliseconds of its unit. */
const place = z.strictObject({
  at: z.string(),
  names: z.tuple([z.string(), z.string()]).default(['p50', 'p99']),
  unit: z.number().default(1),
})

const words = z.array(z.string())
const fixed = { node: process.execPath, bin }
const programOf = z.string().transform((text) => filled(text, fixed))
const peer = z.strictObject({
  name: z.string(),
  program: programOf,
  version: z.array(programOf),
  args: words,
  env: z.record(z.string(), z.string()).default({}),
  /** Contents of the files that it reads, by name. */
  files: z.record(z.string(), z.string()).default({}),
  /** JSON file in its folder; `stdout` has its standard output. */
  report: z.string().optional(),
  /** Arguments with which it prints its report instead. */
  print: words.optional(),
  ttft: place.extend({ of: z.enum(['firstEvent', 'firstToken']) }).optional(),
  gap: place.extend({ of: z.enum(['gap', 'tpot']) }).optional(),
  e2e: place.extend({ of: z.enum(['terminal', 'ended']) }),
  failures: words,
  note: z.string(),
})
export type Peer = z.output<typeof peer>

export const peers = z
  .array(peer)
  .parse(parse(readFileSync(new URL('peers.yaml', import.meta.url), 'utf8'), { merge: true }))

const prompt = 'Tell me about the harbor.'

function valuesOf(order: Order) {
  const [model, requests] = ['svc-main-model', order.rate * order.seconds]
  const messages = [{ role: 'user', content: prompt }]
  return {
    ...{ ...fixed, ...order, model, prompt, requests, path: '/v1/chat/completions' },
    body: JSON.stringify({ model, stream: true, max_tokens: order.tokens, messages }),
    prompts: `${JSON.stringify({ prompt })}\n`.repeat(requests),
  }
}

/** Writes the files of a program. @returns its arguments */
export function argumentsOf({ files, args }: Peer, order: Order): readonly string[] {
  const values = valuesOf(order)
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(order.folder, name), filled(text, values))
  }
  return args.map((text) => filled(text, values))
}

/** @throws Error if the program leaves no report */
export function reportOf({ name, program, report = '', print }: Peer, order: Order): unknown {
  const values = valuesOf(order)
  const text = print
    ? execFileSync(
        program,
        print.map((one) => filled(one, values)),
        { encoding: 'utf8' },
      )
    : readFileSync(join(order.folder, report), 'utf8')
  const found: unknown = JSON.parse(text)
  return name === 'chatgen load' ? figuresOf(loadReport.parse(found)) : found
}

/** Quantiles by metric, and the number of responses that failed or violated a requirement. */
function figuresOf({ metrics, errors, integrity, delivery }: LoadReport) {
  const failed = errors.reduce((sum, { count }) => sum + count, 0)
  const broken = integrity.findings.map((finding) => finding.broken)
  const latencies = metrics.map(({ name, service }) => {
    const quantiles = (service?.quantiles ?? []).map(({ q, value }) => [`p${q * 100}`, value])
    return [name, Object.fromEntries(quantiles)]
  })
  return {
    ...Object.fromEntries(latencies),
    failures: Math.max(failed, ...broken, delivery?.usage?.more ?? 0),
  }
}

/** Requests that the report counts as failed. */
export function failuresIn({ failures }: Peer, report: unknown): number {
  return failures
    .map((path) => {
      const value = valueAt(report, path.replace('?', ''))
      if (value === undefined || value === null) return path.endsWith('?') ? 0 : Number.NaN
      if (typeof value === 'number') return value
      const counts = Object.entries(value).filter(([name]) => name !== '200')
      return counts.reduce((sum, [, count]) => sum + Number(count), 0)
    })
    .reduce((sum, count) => sum + count, 0)
}

/** Number at a path such as `benchmarks.0.metrics`; NaN if there is none. */
export function numberAt(report: unknown, path: string): number {
  const value = valueAt(report, path)
  return typeof value === 'number' ? value : Number.NaN
}

function valueAt(report: unknown, path: string): unknown {
  return path.split('.').reduce((part: unknown, name) => Object(part)[name], report)
}
