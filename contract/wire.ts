import { z } from 'zod'

/** Fields of a date and a time, as ISO 8601 writes them. */
const month = '(?:0[1-9]|1[0-2])'
const day = '(?:0[1-9]|[12]\\d|3[01])'
const week = 'W(?:0[1-9]|[1-4]\\d|5[0-3])'
const dayOfWeek = '[1-7]'
const dayOfYear = '(?:00[1-9]|0[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'
const hour = '(?:[01]\\d|2[0-4])'
const minute = '[0-5]\\d'
const second = '(?:[0-5]\\d|60)'
/** The last field, whichever it is, may have a decimal fraction. */
const fraction = '(?:[.,]\\d+)?'
const zone = '(?:Z|[+-]00(?::?00)?)'

/** A date may use months, weeks or days of the year. */
const extended =
  `\\d{4}-(?:${month}-${day}|${week}-${dayOfWeek}|${dayOfYear})` +
  `T${hour}(?::${minute}(?::${second})?)?${fraction}`
const basic =
  `\\d{4}(?:${month}${day}|${week}${dayOfWeek}|${dayOfYear})` +
  `T${hour}(?:${minute}(?:${second})?)?${fraction}`

/** Any ISO 8601 date and time in UTC (section 2.3). */
const utcTimestamp = new RegExp(`^(?:${extended}|${basic})${zone}$`, 'i')

/** A choice that calls tools or refuses has no text: the contract then sends null for content. */
const message = z
  .looseObject({ role: z.string(), content: z.string().nullish() })
  .refine(
    ({ content, tool_calls: calls, refusal }) =>
      typeof content === 'string' ||
      (Array.isArray(calls) && calls.length > 0) ||
      typeof refusal === 'string',
    { path: ['content'], error: 'expected a string' },
  )

/** Unix seconds from here on are past the year 5000: the value is in milliseconds. */
const farFuture = 1e11

/** Response of `POST /chat/completions`, unstreamed (section 2.2). */
export const completion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int().min(0).lt(farFuture, { error: 'expected Unix seconds' }),
  model: z.string(),
  choices: z
    .array(z.looseObject({ index: z.int(), message, finish_reason: z.string() }))
    .min(1, { error: 'expected at least one choice' }),
  usage: z.looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
  }),
})

/** Entry of the model catalog (section 2.1); both fields may be absent. */
export const modelEntry = z.looseObject({
  id: z.string().optional(),
  description: z.string().nullish(),
})

/** List of models as defined by the chat-completions contract (docs/internals/wire-contract.md, models). */
export const modelList = z.looseObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.unknown().refine((id) => id != null, 'expected an id') })),
})

/** Stored message, as `POST /api/v2/message` answers (section 2.3). */
export const v2Message = z.looseObject({
  id: z.guid(),
  chat_id: z.guid(),
  model_id: z.string(),
  role: z.literal('user'),
  content: z.string(),
  created_at: z.string().regex(utcTimestamp, { error: 'expected an ISO 8601 timestamp in UTC' }),
})

/** Result of `POST /api/v2/message/generate`; the document shows no other fields. */
export const v2Generation = z.looseObject({
  message: z.looseObject({ content: z.string() }),
})

/** Page of `GET /api/v3/message` (section 4.3); its rows are checked one by one. */
export const historyPage = z.looseObject({
  result: z.array(z.looseObject({})),
  pagination: z.looseObject({}),
})

/** Run item of a row (section 2.6). */
export const historyItem = z.looseObject({}).nullable()

/** Input of a user or a system, as the history shows it. */
export const inputItem = z.looseObject({
  type: z.literal('message'),
  role: z.enum(['user', 'system', 'developer']),
  content: z.array(z.looseObject({ type: z.string() })),
})

const part = z
  .looseObject({ type: z.string() })
  .refine(({ type, text }) => type !== 'output_text' || typeof text === 'string')

/** Item of `output`: only its type and, for a message, its typed parts and their texts. */
const outputItem = z.looseObject({ type: z.string() }).superRefine((item, issues) => {
  if (item.type !== 'message') return
  const content = z.array(part).safeParse(item['content'])
  if (content.success) return
  issues.addIssue({
    code: 'custom',
    path: ['content'],
    message: 'expected an array of typed parts',
  })
})

/** Final response object of both v3 forms, reduced to its output (section 2.6). */
export const finalResponse = z.looseObject({ output: z.array(outputItem) })

/** Schemas of responses: strict for the documented fields, open for all others. */

/** Event names of the Responses-style contract (docs/internals/wire-contract.md, framing and names). */

export const terminalEvents = [
  'response.completed',
  'response.failed',
  'response.incomplete',
  'error',
] as const

/** Events that the document names (section 6). */
export const documentedEvents: ReadonlySet<string> = new Set([
  'response.created',
  'response.output_item.added',
  'response.output_text.delta',
  'response.reasoning_text.delta',
  'response.completed',
])

/** Events whose data contains the whole response. */
export const lifecycleEvents = [
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.completed',
  'response.failed',
  'response.incomplete',
] as const

const phases = (family: string, ...words: readonly string[]) =>
  words.map((word) => `response.${family}.${word}`)

/** Names that a checker does not report as unknown. */
export const knownEvents: ReadonlySet<string> = new Set([
  ...lifecycleEvents,
  'error',
  'keepalive',
  ...phases('output_item', 'added', 'done'),
  ...phases('content_part', 'added', 'done'),
  ...phases('output_text', 'delta', 'done', 'annotation.added'),
  ...phases('refusal', 'delta', 'done'),
  ...phases('reasoning_text', 'delta', 'done'),
  ...phases('reasoning_summary_part', 'added', 'done'),
  ...phases('reasoning_summary_text', 'delta', 'done'),
  ...phases('function_call_arguments', 'delta', 'done'),
  ...phases('file_search_call', 'in_progress', 'searching', 'completed'),
  ...phases('web_search_call', 'in_progress', 'searching', 'completed'),
  ...phases('code_interpreter_call', 'in_progress', 'interpreting', 'completed'),
  ...phases('code_interpreter_call_code', 'delta', 'done'),
  ...phases('image_generation_call', 'in_progress', 'generating', 'completed', 'partial_image'),
  ...phases('mcp_call', 'in_progress', 'completed', 'failed'),
  ...phases('mcp_call_arguments', 'delta', 'done'),
  ...phases('mcp_list_tools', 'in_progress', 'completed', 'failed'),
  ...phases('custom_tool_call_input', 'delta', 'done'),
  ...phases('shell_call_command', 'added', 'delta', 'done'),
  ...phases('shell_call_output_content', 'delta', 'done'),
  ...phases('audio', 'delta', 'done'),
  ...phases('audio.transcript', 'delta', 'done'),
])
