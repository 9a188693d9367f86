/** Request of the compatible surface (section 4.1); unknown members are tolerated. */
import { z } from 'zod'
import { maxTokens, temperature, topP } from './fields.ts'

const contentPart = z.looseObject({ type: z.string(), text: z.string().optional() })

/** Only an assistant may have said nothing: a turn of tool calls alone. */
const chatMessage = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: z.union([z.string(), z.array(contentPart)]).nullish(),
  })
  .refine(({ role, content }) => role === 'assistant' || (content ?? null) !== null, {
    path: ['content'],
    message: 'a string is required',
  })

const functionTool = z.looseObject({
  type: z.string(),
  function: z.looseObject({ name: z.string() }).optional(),
})

export const chatCompletionRequest = z.looseObject({
  model: z.string(),
  messages: z.array(chatMessage).min(1),
  temperature,
  top_p: topP,
  max_tokens: maxTokens,
  max_completion_tokens: maxTokens,
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  tools: z.array(functionTool).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})]).nullish(),
})

export type ChatCompletionRequest = z.output<typeof chatCompletionRequest>
export type ChatMessage = z.output<typeof chatMessage>
