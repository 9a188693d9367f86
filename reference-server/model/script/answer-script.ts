/** A script of answers for the reference server: the file of `chatgen serve --script` and `--record`. */
import { z } from 'zod'
import { maxTimerMs, timerLimitText, timerMs } from '../../../contract/timer.ts'

const minStatus = 400
const maxStatus = 599

const duration = z
  .union([
    timerMs.min(0),
    z
      .string()
      .regex(/^\d+(\.\d+)?(ms|s)$/, 'a time such as 200ms or 2s')
      .refine((text) => timeMs(text) <= maxTimerMs, timerLimitText),
  ])
  .describe('Milliseconds, or a time such as 200ms or 2s')

/** Milliseconds of a time in a script. */
export function timeMs(time: number | string): number {
  if (typeof time === 'number') return time
  return Number.parseFloat(time) * (time.endsWith('ms') ? 1 : 1000)
}

const count = z.int().min(0).optional()
const positive = z.int().min(1).optional()
const text = z.string().optional()

const condition = z
  .strictObject({
    text: z
      .string()
      .min(1)
      .refine(isPattern, 'not a regular expression')
      .optional()
      .describe(
        'Part of the last user message, case-insensitive, or a regular expression such as /weather in (\\w+)/i',
      ),
    model: z.string().min(1).optional().describe('Id or alias of a model'),
    turn: positive.describe(
      'Number of the answer in its conversation, tool calls included, from 1',
    ),
    digest: text.describe('Digest of the whole request, as --record writes it'),
  })
  .describe('Conditions, all of which must hold; without any, every request matches')

const toolCall = z.strictObject({
  name: z.string().regex(/^[\w-]{1,64}$/, 'letters, digits, _ and -, at most 64'),
  arguments: z
    .union([z.record(z.string(), z.unknown()), z.string()])
    .default({})
    .describe('An object, or a string that is sent unchanged, even if it is not JSON'),
})

const error = z.strictObject({
  status: z.int().min(minStatus).max(maxStatus).describe('HTTP status, 400 to 599'),
  message: text,
  code: text,
  retry_after: count.describe('Header Retry-After, in seconds'),
})

const citation = z.strictObject({
  file_id: z.string(),
  filename: z.string(),
  index: z.int().min(0).describe('Offset in the answer, in UTF-16 code units'),
})

const entry = z
  .strictObject({
    match: condition.optional(),
    times: positive.describe('Number of requests that it answers; later ones try the next entry'),
    delay: duration.optional().describe('Wait before the first token or the error'),
    gap: duration.optional().describe('Wait between two tokens'),
    reasoning: text.describe('Reasoning, for requests with `think`'),
    answer: text.describe('Text of the answer'),
    citations: z.array(citation).optional(),
    refusal: text.describe('Text of a refusal'),
    tool_calls: z.array(toolCall).min(1).optional(),
    fail_after: count.describe('Fails after this number of tokens of the answer'),
    finish: z
      .literal('length')
      .optional()
      .describe(
        'Ends as if it had reached the token limit, within the last part; before it, if `answer` is empty',
      ),
    drop_after: count.describe('The connection ends after this number of tokens'),
    malformed_after: count.describe('An event after this number of tokens is truncated'),
    stall_after: count.describe('No data after this number of tokens until the client disconnects'),
    probability: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Share of the requests that it answers, drawn from the seed of the server'),
    error: error.optional().describe('An HTTP error instead of an answer'),
    prompt: text.describe('A note for readers, without effect'),
  })
  .superRefine((value, context) => {
    const refuse = (message: string, ...path: string[]) =>
      context.addIssue({ code: 'custom', path, message })
    const given = kinds.filter((kind) => value[kind] !== undefined)
    const isCutReasoning = value.reasoning !== undefined && value.finish === 'length'
    if (given.length === 0 && !isCutReasoning) refuse(`one of ${kinds.join(', ')} is required`)
    const [first = '', ...others] = given
    if (given.length > 1 && (first === 'error' || others.includes('refusal'))) {
      refuse(`cannot be combined with ${others.join(' and ')}`, first)
    }
    const [ending, other] = cuts.filter((name) => value[name] !== undefined)
    if (ending !== undefined && (value.error !== undefined || value.answer === undefined)) {
      refuse('needs an answer', ending)
    }
    if (other !== undefined) refuse(`cannot be combined with ${ending}`, other)
  })

const cuts = ['fail_after', 'drop_after', 'malformed_after', 'stall_after'] as const
const kinds = ['error', 'answer', 'tool_calls', 'refusal'] as const

export const answerScript = z.strictObject({
  answers: z
    .array(entry)
    .min(1)
    .describe('Entries in order of precedence: the first that matches answers'),
  otherwise: z
    .enum(['model', 'error'])
    .default('model')
    .describe('Requests that no entry matches: answered by the fake model, or status 501'),
})

export type AnswerScript = z.output<typeof answerScript>
export type ScriptEntry = AnswerScript['answers'][number]

/** `/source/flags`, or undefined for plain text. @throws SyntaxError for a broken expression */
export function patternOf(text: string): RegExp | undefined {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? []
  return source === undefined ? undefined : new RegExp(source, flags?.replace(/[gy]/g, ''))
}

function isPattern(text: string): boolean {
  try {
    patternOf(text)
    return true
  } catch {
    return false
  }
}
