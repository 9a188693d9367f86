/** Requests to the fake model and its generations, free of any wire format. */
import type { SearchHit } from '../retrieval/retrieval.ts'
import type { Pace } from '../runtime/pace.ts'

export interface Turn {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  readonly text: string
}

export interface ModelRequest {
  /** Id or alias of the model, as the client named it. */
  readonly model: string
  /** The conversation, oldest turn first. */
  readonly turns: readonly Turn[]
  readonly think: boolean
  /** Names of the tools that may be called. */
  readonly tools: readonly string[]
  /** Party that runs the tools: the service, which then answers, or the client, for which a call ends the turn. */
  readonly toolsRunBy: 'service' | 'client'
  /** Budget of all output tokens, reasoning included. */
  readonly maxTokens: number
  /** The answer ends before the first of these. */
  readonly stop: readonly string[]
  /** Search for the model's tool; without it, a search finds nothing. */
  readonly knowledge?: Knowledge
  /** Options that only the compatible surface has. */
  readonly client?: ClientDemands
  /** A different number gives a different answer to the same conversation; 0 by default. */
  readonly variation?: number
}

export interface ClientDemands {
  /** The functions behind the names in `tools`. */
  readonly functions: readonly FunctionTool[]
  /** `auto` leaves the choice to the model; a name forces a call of that function. */
  readonly toolChoice: 'auto' | 'required' | { readonly name: string }
  /** True if an answer may contain several calls. */
  readonly parallel: boolean
  /** The form of the answer: text, any JSON object, or JSON that conforms to a schema. */
  readonly form: 'text' | 'object' | JsonSchema
  /** Index of this answer among `n`, from 0. */
  readonly choice: number
}

export interface FunctionTool {
  readonly name: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonSchema
}

export type JsonSchema = Readonly<Record<string, unknown>>

export interface Knowledge {
  /** Hits of the search before the answer. */
  readonly found: readonly SearchHit[]
  /** Search tool of the service. Pure. */
  readonly search: (query: string) => readonly SearchHit[]
  /** True in a search scenario, in which the model searches for every question. */
  readonly searchesByItself: boolean
}

/** Fragments are tokens; joined they are the full text of the step. */
interface Spoken {
  readonly fragments: readonly string[]
  /** False if the token budget or a failure truncated the step. */
  readonly complete: boolean
}

export type Step =
  | (Spoken & { readonly type: 'reasoning' | 'refusal' })
  | (Spoken & { readonly type: 'message'; readonly citations: readonly Citation[] })
  | (Spoken & { readonly type: 'function_call'; readonly name: string })
  | SearchStep

export type SearchStep = Spoken & {
  readonly type: 'file_search'
  readonly queries: readonly string[]
  readonly results: readonly SearchHit[]
}

/** Source of a part of the text of a message. */
export interface Citation {
  readonly fileId: string
  readonly filename: string
  /** Offset in the text, in UTF-16 units, at which the content of the document ends. */
  readonly index: number
}

export interface Failure {
  readonly code: string
  readonly message: string
}

/**
 * The connection ends before the end of the answer, an event is truncated, or nothing more is sent until the
 * client disconnects.
 */
export interface Disruption {
  readonly kind: 'drop' | 'malformed' | 'stall'
  /** Number of tokens of a stream that are sent before it. */
  readonly afterTokens: number
}

export interface Generation {
  readonly steps: readonly Step[]
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'failed'
  /** Set only with `finish: 'failed'`. */
  readonly failure: Failure | null
  /** Tokens of the output include those of the reasoning. */
  readonly tokens: { readonly input: number; readonly output: number; readonly reasoning: number }
  /** Pace from directives of the prompt, which overrides that of the server. */
  readonly pace: Partial<Pace>
  /** Disruption of the connection during the answer. */
  readonly disruption?: Disruption | undefined
}

/**
 * A pure function: equal requests give equal generations.
 *
 * @throws ModelOutage when the prompt asks for an error before the answer
 * @throws UnsupportedSchema for a schema of the caller for which no value can be generated
 */
export type Model = (request: ModelRequest) => Generation

export class ModelOutage extends Error {
  override readonly name = 'ModelOutage'
  /** HTTP status, 400 to 599. */
  readonly status: number
  readonly code: string
  /** Wait before the error is sent. */
  readonly delayMs: number
  /** Seconds of the header Retry-After; undefined: 1 with 429 and 503, otherwise no header. */
  readonly retryAfter: number | undefined

  constructor(status: number, details: OutageDetails = {}) {
    super(details.message ?? `The model answers with status ${status}, as the prompt asked`)
    this.status = status
    this.code = details.code ?? 'model_outage'
    this.delayMs = details.delayMs ?? 0
    this.retryAfter = details.retryAfter
  }
}

interface OutageDetails {
  readonly message?: string | undefined
  readonly code?: string | undefined
  readonly delayMs?: number | undefined
  readonly retryAfter?: number | undefined
}

export class UnsupportedSchema extends Error {
  readonly code = 'unsupported_schema'
  override readonly name = 'UnsupportedSchema'
}
