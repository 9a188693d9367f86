/** Requests of the native surfaces (sections 4.2 and 4.3); fields that are not listed are tolerated. */
import { z } from 'zod'
import {
  cursor,
  flag,
  identifier,
  maxTokens,
  pageQuery,
  plainRag,
  rag,
  rowLimit,
  searchSettings,
  searchSettingsQuery,
  temperature,
  toolLists,
  topP,
  withOneOf,
  withOneToolList,
} from './fields.ts'

/** Media URL. Only its beginning is checked: the rest may be megabytes of base64. */
const mediaUrl = z
  .string()
  .regex(/^(https?:\/\/[^\s/]|data:[\w.+-]+\/[\w.+-]+[;,])/i, 'must be an http(s) or data URL')

function typed<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z.looseObject({ type: z.literal(type), ...fields })
}

/** A medium that one of its sources holds. */
function medium<Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  sources: readonly string[],
  fields: Fields,
) {
  const named = `${sources.slice(0, -1).join(', ')} or ${sources.at(-1)}`
  const isGiven = (source: unknown) => typeof source === 'string' && source !== ''
  return typed(type, fields)
    .refine((part) => sources.some((name) => isGiven(part[name])), `${named} is required`)
    .meta(withOneOf(...sources))
}

const inputImage = medium('input_image', ['image_url', 'file_id'], {
  image_url: mediaUrl.nullish(),
  file_id: z.string().nullish(),
  detail: z.string().nullish(),
})

const inputVideo = medium('input_video', ['video_url', 'file_id'], {
  video_url: mediaUrl.nullish(),
  file_id: z.string().nullish(),
})

const inputFile = medium('input_file', ['file_id', 'file_url', 'file_data'], {
  file_id: z.string().nullish(),
  file_url: mediaUrl.nullish(),
  /** Base64, bare or in a data URL. */
  file_data: z.string().nullish(),
  filename: z.string().nullish(),
})

const inputAudio = typed('input_audio', {})

const inputPart = z.discriminatedUnion('type', [
  typed('input_text', { text: z.string() }),
  inputImage,
  inputVideo,
  inputFile,
  inputAudio,
  typed('output_text', { text: z.string() }),
  typed('refusal', { refusal: z.string() }),
])

const inputMessage = z.looseObject({
  type: z.literal('message').default('message'),
  role: z.enum(['user', 'system', 'developer', 'assistant']),
  content: z.union([z.string(), z.array(inputPart)]),
})

/** An item without `type` is a message, the short form that clients send; media may be items themselves. */
export const inputItem = z.union([
  inputMessage,
  z.discriminatedUnion('type', [
    typed('function_call', { call_id: z.string(), name: z.string(), arguments: z.string() }),
    typed('function_call_output', {
      call_id: z.string(),
      output: z.union([z.string(), z.array(inputPart)]),
    }),
    typed('reasoning', {}),
    typed('file_search_call', {}),
    inputImage,
    inputVideo,
    inputFile,
    inputAudio,
  ]),
])

export const input = z.union([z.string().min(1), z.array(inputItem).min(1)])

export type Input = z.output<typeof input>
export type InputItem = z.output<typeof inputItem>

export const historyQuery = z.looseObject({
  chat_id: identifier,
  limit: rowLimit.default(50),
  cursor: cursor.optional(),
})

/** Settings of both kinds of generation. */
const settings = {
  stream: z.boolean().nullish(),
  model_id: z.string(),
  think: z.boolean().nullish(),
  rag: rag.nullish(),
  ...toolLists,
  max_tokens: maxTokens,
  temperature,
  top_p: topP,
  presence_penalty: z.number().min(-2).max(2).nullish(),
}

export const generateRequest = withOneToolList(
  z.looseObject({
    chat_id: identifier,
    assistant_id: identifier.nullish(),
    input,
    parent_id: z.string().nullish(),
    ...settings,
  }),
)

/** A run of an accumulated history. The document shows only `output`; `input` is the question. */
const earlierRun = z.looseObject({
  id: z.string().nullish(),
  input: input.nullish(),
  output: z.union([z.string(), z.array(inputItem)]).nullish(),
})

/** The scenario of a one-shot without a catalogd assistant: the document does not show it. */
const customAssistant = z.looseObject({
  name: z.string().nullish(),
  instructions: z.string().nullish(),
  kb_id: z.string().nullish(),
})

export const oneShotRequest = withOneToolList(
  z
    .looseObject({
      input: input.nullish(),
      /** Deprecated in favor of `input`, which takes precedence (section 9). */
      content: z.string().min(1).nullish(),
      runs: z.array(earlierRun).nullish(),
      assistant_id: z.union([z.literal('searcher'), identifier]).nullish(),
      assistant: customAssistant.nullish(),
      kb_id: z.string().nullish(),
      ...settings,
    })
    .refine(({ input, content }) => (input ?? content ?? undefined) !== undefined, {
      path: ['input'],
      message: 'input is required, or the deprecated content',
    }),
  withOneOf('input', 'content'),
)

export type GenerateRequest = z.output<typeof generateRequest>
export type OneShotRequest = z.output<typeof oneShotRequest>

export const createChatRequest = z.looseObject({ name: z.string().optional() })

/** The document does not show the body. A version in it has no effect (section 3). */
export const updateChatRequest = z.looseObject({
  name: z.string().optional(),
  is_favorite: z.boolean().optional(),
})

/** All parameters except `exclude_favorites` apply to every searchable list. */
export const searchedListQuery = z.looseObject({ search: z.string().optional(), ...pageQuery })

export const listChatsQuery = searchedListQuery.extend({ exclude_favorites: flag.optional() })

/** The form fields next to the file; `chat_id` is our own addition. */
export const uploadFields = z.looseObject({ chat_id: identifier.optional() })

export const listAttachmentsQuery = searchedListQuery.extend({ chat_id: identifier.optional() })

export const createBaseRequest = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
})

export const listQuery = z.looseObject(pageQuery)

export const searchBaseQuery = z.looseObject({ q: z.string().min(1), ...searchSettingsQuery })

export const searchBaseRequest = searchSettings.extend({ query: z.string().min(1) })

/** Section 2.4, as the service returned it; only the id is needed to find the file again. */
const attachmentObject = z.looseObject({
  id: z.string(),
  filename: z.string().nullish(),
  content_type: z.string().nullish(),
  bucket: z.string().nullish(),
  size: z.int().min(0).nullish(),
  created_at: z.string().nullish(),
})

export const storeMessageRequest = z.looseObject({
  chat_id: identifier,
  content: z.string().min(1),
  model_id: z.string(),
  /** A UUID, or the name of some instructions. */
  assistant_id: z.string().min(1).nullish(),
  parent_id: identifier.nullish(),
  think: z.boolean().nullish(),
  rag: plainRag.nullish(),
  attachments: z.array(attachmentObject).nullish(),
})

export const generateReplyRequest = withOneToolList(
  z.looseObject({
    chat_id: identifier,
    parent_id: identifier,
    model_id: z.string(),
    ...toolLists,
  }),
)

export type GenerateReplyRequest = z.output<typeof generateReplyRequest>
export type StoreMessageRequest = z.output<typeof storeMessageRequest>
