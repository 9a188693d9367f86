/** One run: a generation with its ids and times, the source of events, final object and history. */
import type { Failure, Generation, Step } from '../model/types.ts'
import { beginDecoding, type Decoding } from '../runtime/decoding.ts'
import type { Ids } from '../runtime/random.ts'

/** Request parameters that the response object repeats. */
export interface RunSettings {
  readonly model: string
  readonly think: boolean
  readonly tools: readonly object[]
  readonly maxTokens: number | null
  readonly temperature: number
  readonly topP: number
  readonly presencePenalty: number
  /** System instructions of the assistant. */
  readonly instructions: string | null
  /** False for a run that is stored in no history. */
  readonly stored: boolean
  /** The run that the caller linked to; null without `parent_id`. */
  readonly previousRunId: string | null
}

export type RunStep = Step & {
  readonly itemId: string
  /** Set only for function calls. */
  readonly callId: string
}

/** Immutable, so that all reads of a run agree. Times in Unix milliseconds. */
export interface ResponseRun {
  readonly id: string
  readonly startedAt: number
  readonly completedAt: number
  /** Has one token for each fragment of all steps. */
  readonly decoding: Decoding
  readonly settings: RunSettings
  readonly steps: readonly RunStep[]
  readonly finish: Generation['finish']
  readonly failure: Failure | null
  readonly tokens: Generation['tokens']
}

export function runStatus(run: ResponseRun): 'completed' | 'incomplete' | 'failed' {
  if (run.finish === 'failed') return 'failed'
  return run.finish === 'length' ? 'incomplete' : 'completed'
}

const itemPrefix = {
  reasoning: 'rs',
  message: 'msg',
  refusal: 'msg',
  function_call: 'fc',
  file_search: 'fs',
} as const

export function beginRun(
  { steps, finish, failure, tokens, pace }: Generation,
  settings: RunSettings,
  services: Parameters<typeof beginDecoding>[0] & { readonly ids: Pick<Ids, 'tagged'> },
): ResponseRun {
  const { ids } = services
  const { startedAt, decoding } = beginDecoding(services, { tokens, pace })
  return {
    id: ids.tagged('resp'),
    startedAt,
    get completedAt() {
      return decoding.endsAt
    },
    decoding,
    settings,
    steps: steps.map((step) => ({
      ...step,
      itemId: ids.tagged(itemPrefix[step.type]),
      callId: ids.tagged('call'),
    })),
    finish,
    failure,
    tokens,
  }
}
