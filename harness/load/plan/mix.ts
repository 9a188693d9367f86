import type { Surface } from '../../../contract/catalog/requirement.ts'
import type { Distribution } from './random.ts'

/** Kinds of transactions; see `harness/load/transactions`. */
export const kinds = [
  'openai-stream',
  'openai-json',
  'v3-stream',
  'v3-json',
  'one-shot-stream',
  'one-shot-json',
  'v2-turn',
  'v3-history',
  'v3-chat',
] as const
export type Kind = (typeof kinds)[number]

/** A mix of transactions; factors are already split into one entry for each of their levels. */
export interface Mix {
  readonly name: string
  readonly entries: readonly MixEntry[]
}

export interface MixEntry {
  readonly name: string
  readonly kind: Kind
  /** Relative to the other entries. */
  readonly weight: number
  /** Length of the prompt, in words. */
  readonly prompt: Distribution
  /** Length of the answer, in tokens; null leaves it to the model. */
  readonly answer: Distribution | null
  /** Think time between two turns, in milliseconds. */
  readonly thinkTime: Distribution
  /** Turns of a chat that grows. */
  readonly turns: Distribution
  readonly think: boolean | null
  readonly rag: Rag | null
  /** `{nonce}`, `{words}`, `{tokens}`, `{tell}` and `{ask}` are filled in; null is the default prompt. */
  readonly template: string | null
  readonly model: string | null
  /** Requests the usage in the compatible stream, without which tokens cannot be counted. */
  readonly usage: boolean
}

export type Rag = boolean | 'agent' | Readonly<Record<string, unknown>>

export function surfaceOf(kind: Kind): Surface {
  if (kind.startsWith('openai')) return 'openai'
  return kind === 'v2-turn' ? 'v2' : 'v3'
}

const defaults = {
  weight: 1,
  prompt: { kind: 'lognormal', median: 40, sigma: 0.6, min: 4, max: 400 },
  answer: { kind: 'lognormal', median: 80, sigma: 0.5, min: 8, max: 400 },
  thinkTime: { kind: 'lognormal', median: 2000, sigma: 0.5, min: 200, max: 20_000 },
  turns: { kind: 'uniform', min: 2, max: 5 },
  think: null,
  rag: null,
  template: null,
  model: null,
  usage: true,
} as const satisfies Omit<MixEntry, 'name' | 'kind'>

/** A mix entry with defaults for everything omitted. */
export function mixEntry(entry: Pick<MixEntry, 'name' | 'kind'> & Partial<MixEntry>): MixEntry {
  return { ...defaults, ...entry }
}

const single = (kind: Kind, lengths: Partial<MixEntry> = {}): Mix => ({
  name: kind,
  entries: [mixEntry({ ...lengths, name: kind, kind })],
})
const weighted = (name: string, weights: Partial<Record<Kind, number>>): Mix => ({
  name,
  entries: kinds.flatMap((kind) => {
    const weight = weights[kind]
    return weight === undefined ? [] : [mixEntry({ name: kind, kind, weight })]
  }),
})

/**
 * Lengths of the Azure LLM inference trace 2023 (Patel et al., Splitwise, ISCA 2024; CC BY 4.0): lognormals with the mean
 * and the deviation of the logarithms of its 19,366 conversations and 8,819 code completions, within its extremes.
 * Prompts are words, of which 0.75 make a token.
 */
const azureConversation = {
  prompt: { kind: 'lognormal', median: 570, sigma: 0.985, min: 2, max: 10_500 },
  answer: { kind: 'lognormal', median: 151, sigma: 0.859, min: 7, max: 1000 },
} as const
const azureCode = {
  prompt: { kind: 'lognormal', median: 821, sigma: 1.36, min: 2, max: 5600 },
  answer: { kind: 'lognormal', median: 16, sigma: 0.847, min: 6, max: 1900 },
} as const

const v3Weights = {
  ...{ 'v3-stream': 6, 'v3-json': 1, 'one-shot-stream': 1, 'one-shot-json': 0.5 },
  ...{ 'v3-history': 1, 'v3-chat': 0.5 },
} as const

/** Built-in mixes: each kind alone, a typical mix of each surface, and published traffic. */
export const builtInMixes: ReadonlyMap<string, Mix> = new Map(
  [
    ...kinds.map((kind) => single(kind)),
    weighted('openai', { 'openai-stream': 8, 'openai-json': 2 }),
    weighted('v2', { 'v2-turn': 1 }),
    weighted('v3', v3Weights),
    weighted('all', {
      ...v3Weights,
      ...{ 'openai-stream': 4, 'openai-json': 1, 'v3-stream': 4, 'v2-turn': 1 },
    }),
    { ...single('openai-stream', azureConversation), name: 'azure-conversation' },
    { ...single('openai-stream', azureCode), name: 'azure-code' },
  ].map((mix) => [mix.name, mix]),
)
