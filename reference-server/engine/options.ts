/** The engine of `serve --engine`: a replica that batches continuously, in the terms of vLLM. */

export interface EngineOptions {
  /** Sequences that are decoded together; further requests wait. */
  readonly maxNumSeqs: number
  /** Requests that may wait; further ones are refused. */
  readonly maxWaiting: number
  /** Milliseconds of prefill for each token of a prompt; all running sequences wait for it. */
  readonly prefillMsPerToken: number
  /** Milliseconds of one iteration, in which each running sequence gets one token. */
  readonly decodeMs: number
  /** Milliseconds that each running sequence adds to an iteration. */
  readonly decodeMsPerSeq: number
}

export class EngineSyntaxError extends Error {
  readonly code = 'engine_syntax'
  override readonly name = 'EngineSyntaxError'
}

export const defaultEngine: EngineOptions = {
  maxNumSeqs: 8,
  maxWaiting: 64,
  prefillMsPerToken: 0.4,
  decodeMs: 12,
  decodeMsPerSeq: 0.5,
}

const parts: Readonly<Record<string, (value: string) => Partial<EngineOptions> | undefined>> = {
  'max-num-seqs': (value) => whole(value, 1, (maxNumSeqs) => ({ maxNumSeqs })),
  'max-waiting': (value) => whole(value, 0, (maxWaiting) => ({ maxWaiting })),
  prefill: (value) =>
    time(value.replace(/\/token$/, ''), (prefillMsPerToken) => ({ prefillMsPerToken })),
  decode: (value) => time(value, (decodeMs) => ({ decodeMs })),
  'decode-per-seq': (value) => time(value, (decodeMsPerSeq) => ({ decodeMsPerSeq })),
}

/**
 * Reads `max-num-seqs=8,max-waiting=64,prefill=0.4ms/token,decode=12ms,decode-per-seq=0.5ms`: any of
 * the five, in any order; times in `ms` (the default) or `s`. What is left out has its default.
 *
 * @throws EngineSyntaxError that names the part it cannot read
 */
export function parseEngine(text: string): EngineOptions {
  const read = text.split(',').map((part) => readPart(part.trim()))
  const options: EngineOptions = Object.assign({}, defaultEngine, ...read)
  if (options.decodeMs + options.decodeMsPerSeq > 0) return options
  throw new EngineSyntaxError('engine: decode and decode-per-seq are both 0: a token takes time')
}

function readPart(part: string): Partial<EngineOptions> {
  const [name = '', value = '', ...rest] = part.split('=')
  const reader = Object.hasOwn(parts, name) ? parts[name] : undefined
  if (reader === undefined) {
    throw unreadable(part, `known names are ${Object.keys(parts).join(', ')}`)
  }
  const read = rest.length > 0 ? undefined : reader(value)
  if (read !== undefined) return read
  const expected = /max/.test(name) ? 'a whole number' : 'a time such as 12ms'
  throw unreadable(part, `expected ${name}= and ${expected}`)
}

function whole<T>(value: string, min: number, make: (count: number) => T): T | undefined {
  const count = Number(value)
  return /^\d{1,6}$/.test(value) && count >= min ? make(count) : undefined
}

function time<T>(value: string, make: (ms: number) => T): T | undefined {
  const [, digits, unit] = /^(\d{1,6}(?:\.\d+)?)(ms|s)?$/.exec(value) ?? []
  return digits === undefined ? undefined : make(Number(digits) * (unit === 's' ? 1000 : 1))
}

function unreadable(part: string, why: string): EngineSyntaxError {
  return new EngineSyntaxError(`engine: cannot read "${part}": ${why}`)
}
