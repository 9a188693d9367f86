/** Shapes of the answers, for the reference page and for tests of the answers. */
import { z } from 'zod'
import { isoTime } from '../runtime/clock.ts'
import type { Attachment, Chat, Message } from '../store/types.ts'

const uuid = z.guid()
const time = z.iso.datetime()
const count = z.int().min(0)

/** Description for the reference page. */
export const runStream =
  'Events in the Responses format, from response.created to response.completed'

export const healthShape = z.strictObject({ status: z.literal('ok') })

/** The shape of every list of the native surfaces. */
export function pageOf(row: z.ZodType): z.ZodType {
  return z.strictObject({
    result: z.array(row),
    pagination: z.strictObject({ cursor: z.string().nullable() }),
  })
}

export const chatShape = z.strictObject({
  id: uuid,
  name: z.string(),
  version: z.enum(['v2', 'v3']),
  is_favorite: z.boolean(),
  created_at: time,
  updated_at: time,
})

export const attachmentShape = z.strictObject({
  id: uuid,
  filename: z.string(),
  content_type: z.string(),
  bucket: z.string(),
  size: count,
  created_at: time,
})

export const messageShape = z.strictObject({
  id: uuid,
  chat_id: uuid,
  model_id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  created_at: time,
  parent_id: uuid.nullable(),
  assistant_id: z.string().nullable(),
  think: z.boolean(),
  rag: z.union([z.boolean(), z.literal('agent')]),
  attachments: z.array(attachmentShape),
})

export const replyShape = z.strictObject({
  message: messageShape.extend({
    reasoning: z.string().nullable(),
    tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })),
    sources: z.array(z.strictObject({ file_id: z.string(), filename: z.string() })),
    usage: z.strictObject({ input_tokens: count, output_tokens: count, total_tokens: count }),
  }),
})

const item = z.looseObject({ type: z.string() })

export const historyRowShape = z.strictObject({
  item_type: z.string(),
  item_status: z.string().optional(),
  item,
  run_id: z.string(),
  created_at: time,
})

/** The documented fields, of 31. */
export const responseShape = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: count,
  status: z.enum(['completed', 'incomplete', 'failed']),
  model: z.string(),
  output: z.array(item),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  usage: z.looseObject({ input_tokens: count, output_tokens: count, total_tokens: count }),
})

export const completionShape = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: count,
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: count,
      message: z.looseObject({ role: z.literal('assistant'), content: z.string() }),
      finish_reason: z.enum(['stop', 'length', 'tool_calls']),
      logprobs: z.null(),
    }),
  ),
  usage: z.strictObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }),
})

export const compatibleModelShape = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: count,
  owned_by: z.string(),
  description: z.string(),
  aliases: z.array(z.string()),
})

export const compatibleModelsShape = z.strictObject({
  object: z.literal('list'),
  data: z.array(compatibleModelShape),
})

export const modelShape = z.strictObject({
  id: z.string(),
  aliases: z.array(z.string()),
  description: z.string(),
})

export const assistantShape = z.strictObject({
  id: uuid,
  name: z.string(),
  description: z.string(),
  instructions: z.string(),
  kb_id: uuid.nullable(),
})

export const baseShape = z.strictObject({
  id: uuid,
  name: z.string(),
  description: z.string(),
  created_at: time,
})

export const documentShape = z.strictObject({
  id: z.string(),
  filename: z.string(),
  content_type: z.string(),
  size: count,
  status: z.literal('ready'),
  created_at: time,
})

export const findingShape = z.strictObject({
  file_id: z.string(),
  filename: z.string(),
  score: z.number().min(0).max(1),
  text: z.string(),
})

/** Section 2.5. */
export function chatRecord({ id, name, version, favorite, createdAt, updatedAt }: Chat): object {
  const times = { created_at: isoTime(createdAt), updated_at: isoTime(updatedAt) }
  return { id, name, version, is_favorite: favorite, ...times }
}

/** Section 2.4. */
export function attachmentRecord(attachment: Attachment): object {
  const { id, filename, contentType, size, createdAt } = attachment
  const stored = { bucket: 'attachments', size, created_at: isoTime(createdAt) }
  return { id, filename, content_type: contentType, ...stored }
}

/** Section 2.3, with undocumented fields. */
export function messageRecord(message: Message, attachments: readonly Attachment[] = []): object {
  const { id, chatId, modelId, role, content, parentId, assistantId, think, rag } = message
  const created_at = isoTime(message.createdAt)
  return {
    ...{ id, chat_id: chatId, model_id: modelId, role, content, created_at },
    ...{ parent_id: parentId, assistant_id: assistantId, think, rag },
    attachments: attachments.map(attachmentRecord),
  }
}
