import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import { checkDocument, didYouMean, readDocument } from '../../conformance/profile/document.ts'
import {
  expectedArrivals,
  readTrace,
  type TraceLine,
  TraceSyntaxError,
} from '../../load/plan/arrival-times.ts'
import { builtInMixes, type Mix, surfaceOf } from '../../load/plan/mix.ts'
import { mixFile, mixOfFile } from '../../load/plan/mix-schema.ts'
import type { PlanSpec } from '../../load/plan/plan.ts'
import { parseSlos, SloSyntaxError } from '../../load/slo/parse.ts'
import type { Slo } from '../../load/slo/slo.ts'
import { inputText } from '../values.ts'
import type { LoadFlags } from './flags.ts'

const defaultMs = 30_000
/** Bound of a plan, far above the transactions of any run. */
const maxArrivals = 100_000_000

/**
 * Builds the plan that the flags describe.
 * @throws ConfigurationError if they describe none, several, or contradict each other
 */
export function planOf(flags: LoadFlags): PlanSpec {
  const traffic = trafficOf(flags)
  const arrival = arrivalOf(flags, traffic.mix)
  const durationNs = (flags.duration ?? naturalMs(arrival)) * 1e6
  const isOpen = arrival.kind !== 'closed' && arrival.kind !== 'trace'
  if (isOpen && expectedArrivals(arrival, durationNs) > maxArrivals) {
    throw new ConfigurationError([
      `the plan has more than ${maxArrivals} transactions: lower the rate or the --duration`,
    ])
  }
  return { ...traffic, arrival, durationNs }
}

/** A plan without its arrivals. @throws ConfigurationError if the mix has no transaction for the surface */
export function trafficOf({
  seed = randomBytes(6).toString('hex'),
  misbehave: misbehavior = { slowReader: 0, abort: 0, churn: 0 },
  races: idempotencyRaces,
  ...flags
}: Pick<LoadFlags, 'seed' | 'misbehave' | 'races' | 'mix' | 'surface' | 'usage'>) {
  return { seed, mix: mixOf(flags), misbehavior, idempotencyRaces }
}

/** @throws ConfigurationError that shows the position */
export function slosOf(texts: readonly string[]): Slo[] {
  return asConfigurationError(SloSyntaxError, () => parseSlos(texts), '--slo')
}

function arrivalOf(flags: LoadFlags, mix: Mix): PlanSpec['arrival'] {
  const { rate, concurrency, ramp, steps, replay, arrival: process = 'poisson' } = flags
  const given = Object.entries({ rate, concurrency, ramp, steps, replay })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}`)
  const [first, second] = given
  if (first === undefined) {
    throw new ConfigurationError([
      'no load given: pass --rate N, --concurrency N, --ramp FROM..TO/TIME, --steps or --replay FILE',
    ])
  }
  if (second !== undefined) {
    throw new ConfigurationError([`${given.join(' and ')} exclude each other: pass only one`])
  }
  if (flags.arrival !== undefined && (concurrency !== undefined || replay !== undefined)) {
    throw new ConfigurationError([`--arrival does not apply to ${first}`])
  }
  if (concurrency !== undefined)
    return { kind: 'closed', concurrency, maxTransactions: maxArrivals }
  if (ramp !== undefined) return { kind: 'ramp', process, ...ramp }
  if (steps !== undefined) return { kind: 'steps', process, steps }
  if (replay !== undefined) return { kind: 'trace', file: replay, lines: traceIn(replay, mix) }
  return { kind: process, perSecond: rate ?? 0 }
}

/** Duration implied by the arrivals, in milliseconds. */
function naturalMs(arrival: PlanSpec['arrival']): number {
  if (arrival.kind === 'trace') return ((arrival.lines.at(-1)?.atNs ?? 0) + 1) / 1e6
  if (arrival.kind === 'ramp') return arrival.overMs
  if (arrival.kind === 'steps') return arrival.steps.reduce((sum, { forMs }) => sum + forMs, 0)
  return defaultMs
}

function mixOf({ mix: name, surface, usage }: Pick<LoadFlags, 'mix' | 'surface' | 'usage'>): Mix {
  const named = mixNamed(name ?? surface ?? 'openai-stream')
  // A server that rejects unknown fields rejects `stream_options`.
  const mix = usage
    ? named
    : { ...named, entries: named.entries.map((entry) => ({ ...entry, usage: false })) }
  if (surface === undefined) return mix
  const entries = mix.entries.filter(({ kind }) => surfaceOf(kind) === surface)
  if (entries.length === 0) {
    throw new ConfigurationError([
      `--surface: the mix ${mix.name} has no transactions for ${surface}`,
    ])
  }
  return { ...mix, entries }
}

/**
 * Looks up a built-in mix by name, or reads a file.
 * @throws ConfigurationError that names file, line and field
 */
function mixNamed(name: string): Mix {
  const builtIn = builtInMixes.get(name)
  if (builtIn !== undefined) return builtIn
  if (!existsSync(name)) {
    const names = [...builtInMixes.keys()]
    throw new ConfigurationError([
      `--mix: no such file or built-in mix: ${name}.${didYouMean(name, names)} Mixes: ${names.join(', ')}`,
    ])
  }
  const { value, place } = readDocument(
    { name, text: inputText(name, '--mix: cannot read the file') },
    'a mix',
  )
  return mixOfFile(checkDocument(mixFile, value, place), basename(name, extname(name)))
}

/** @throws ConfigurationError that names file and line */
function traceIn(file: string, mix: Mix): TraceLine[] {
  const text = inputText(file, '--replay: cannot read the file')
  const lines = asConfigurationError(
    TraceSyntaxError,
    () => readTrace(text),
    ({ line, message }) => `${file}:${line}: ${message}`,
  )
  const names = mix.entries.map(({ name }) => name)
  for (const { transaction } of lines) {
    if (transaction === undefined || names.includes(transaction)) continue
    throw new ConfigurationError([
      `${file}: the mix ${mix.name} has no transaction ${transaction}.${didYouMean(transaction, names)} Transactions: ${names.join(', ')}`,
    ])
  }
  return lines
}
