/** Cases of a bench: the three generating endpoints, each streamed and unstreamed. */
import { operations } from '../../../contract/index.ts'

export interface BenchPrompt {
  readonly text: string
  /** `max_tokens` of every request. */
  readonly maxTokens: number
}

export interface BenchCase {
  readonly name: string
  readonly surface: 'openai' | 'v3'
  readonly path: string
  readonly stream: boolean
  /** True if requests belong to a chat and carry an Idempotency-Key. */
  readonly stored: boolean
  readonly body: (model: string, prompt: BenchPrompt) => object
  /** Matches a whole answer, but not one that was cut or failed. */
  readonly whole: RegExp
}

/** A token limit may end an answer early. */
const nativeEnd = /^event: ?response\.(?:completed|incomplete)\s*$/m

export const benchCases: readonly BenchCase[] = [true, false].flatMap((stream): BenchCase[] => [
  {
    name: `compatible ${form(stream)}`,
    surface: 'openai',
    path: operations['openai.chat'].path,
    stream,
    stored: false,
    body: (model, { text, maxTokens }) => ({
      model,
      messages: [{ role: 'user', content: text }],
      max_tokens: maxTokens,
      stream,
    }),
    whole: stream ? /^data: ?\[DONE\]/m : /"finish_reason"/,
  },
  {
    name: `generate ${form(stream)}`,
    surface: 'v3',
    path: operations['v3.generate'].path,
    stream,
    stored: true,
    body: native(stream),
    whole: stream ? nativeEnd : /"output"/,
  },
  {
    name: `one-shot ${form(stream)}`,
    surface: 'v3',
    path: operations['v3.oneShot'].path,
    stream,
    stored: false,
    body: native(stream),
    whole: stream ? nativeEnd : /"output"/,
  },
])

function native(stream: boolean): BenchCase['body'] {
  return (model, { text, maxTokens }) => ({
    model_id: model,
    input: text,
    max_tokens: maxTokens,
    stream,
  })
}

function form(stream: boolean): string {
  return stream ? 'stream' : 'JSON'
}
