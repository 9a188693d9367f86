/** Request of the compatible surface (section 4.1); unknown fields are tolerated. */
import { z } from 'zod'
import { maxTokens, temperature, topP } from './fields.ts'

const contentPart = z.looseObject({ type: z.string(), text: z.string().optional() })

/** Message of a chat; content is optional only for an assistant: a turn of tool calls alone. */
const chatMessage = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: z.union([z.string(), z.array(contentPart)]).nullish(),
  })
  .refine(({ role, content }) => role === 'assistant' || (content ?? null) !== null, {
    path: ['content'],
    message: 'a string is required',
  })
  .meta({
    anyOf: [
      { properties: { role: { const: 'assistant' } } },
      { required: ['content'], properties: { content: { not: { type: 'null' } } } },
    ],
  })

const jsonSchema = z.record(z.string(), z.unknown())

const functionTool = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({
      name: z.string().regex(/^[\w-]{1,64}$/, { error: 'letters, digits, _ and -, at most 64' }),
      description: z.string().nullish(),
      parameters: jsonSchema.nullish(),
    })
    .optional(),
})

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
])

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ name: z.string(), schema: jsonSchema.nullish() }),
  }),
])

/** OpenAI's own limit of `n`. */
const maxChoices = 128

/** `required` or a named function needs tools. */
const toolChoiceSchema = {
  anyOf: [
    { properties: { tool_choice: { enum: ['none', 'auto', null] } } },
    {
      required: ['tools'],
      properties: {
        tools: {
          type: 'array',
          items: {},
          contains: { required: ['function'], properties: { function: {} } },
        },
      },
    },
  ],
}

export const chatCompletionRequest = z
  .looseObject({
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
    tool_choice: toolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: responseFormat.nullish(),
    n: z.int().min(1).max(maxChoices).nullish(),
  })
  .meta(toolChoiceSchema)

export type ChatCompletionRequest = z.output<typeof chatCompletionRequest>
export type ChatMessage = z.output<typeof chatMessage>
