/** A load generator: its arguments, and the source of its figures. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Pair } from './truth.ts'

export interface Order {
  /** URL without a path. */
  readonly url: string
  readonly key: string
  /** Requests a second, evenly spaced. */
  readonly rate: number
  readonly seconds: number
  /** Tokens of each answer. */
  readonly tokens: number
  /** Folder for its files; exists. */
  readonly folder: string
}

export interface Figures {
  /** Time up to the first text, or up to the first byte of the body. */
  readonly ttft: { readonly pair: Pair; readonly of: 'ttft' | 'firstByte' } | null
  /** Milliseconds between two contents, or the mean of them over a stream, as the program defines it. */
  readonly gap: { readonly pair: Pair; readonly of: 'gap' | 'tpot' } | null
  /** Time up to the terminal event, or up to the end of the body. */
  readonly e2e: { readonly pair: Pair; readonly of: 'terminal' | 'ended' }
}

export interface Peer {
  readonly name: string
  readonly program: string
  readonly version: readonly string[]
  /** Prepares its files. */
  readonly args: (order: Order) => readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly figures: (order: Order) => Figures
  /** Requests that the program reports as failed. */
  readonly failures: (order: Order) => number
  /** Text below the table. */
  readonly note: string
}

/** File with the standard output of the program, in its folder. */
export const stdoutName = 'stdout'

export const path = '/api/openai/chat/completions'
export const model = 'svc-main-model'
export const promptOf = (tokens: number) => `Tell me about the harbour. [[tokens=${tokens}]]`

export const bodyOf = ({ tokens }: Order) =>
  JSON.stringify({
    model,
    stream: true,
    max_tokens: tokens,
    messages: [{ role: 'user', content: promptOf(tokens) }],
  })

export function write({ folder }: Order, name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

export function read<T>({ folder }: Order, name: string, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

export const percentiles = z.object({ p50: z.number(), p99: z.number() })
