import { z } from 'zod'

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

/** Limit above which a number of seconds lies past the year 5000: it counts milliseconds. */
const farFuture = 1e11

/** Answer of `POST /chat/completions`, unstreamed (section 2.2). */
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
