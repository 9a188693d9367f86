import { z } from 'zod'
import { maxTimerMs, timerMs } from '../../../contract/timer.ts'
import { defaultBodyLimits } from '../../client/index.ts'
import type { Path } from './document.ts'

/** Requests and responses of a target that the document does not specify, in a target profile. */

export const members = z.record(z.string(), z.unknown())

export const pointer = z.string().regex(/^(\/[^/]*)*$/, 'must be a JSON pointer such as /chat/id')

export const text = z.string()
export const flag = z.boolean()

export function optional<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().describe(description)
}

/** Fields that belong together, all absent or given as a mapping. */
export function group<Shape extends z.core.$ZodShape>(description: string, shape: Shape) {
  return optional(z.strictObject(shape), description)
}

export const request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET').describe('Method.'),
  path: z.string().describe('Path; `{name}` placeholders are filled in.'),
  query: optional(z.record(text, text), 'Query parameters; placeholders are filled in.'),
  body: optional(z.unknown(), 'JSON body; placeholders are filled in.'),
  part: optional(text, 'Name of the file part if the request is an upload; default: `file`.'),
})

export const requests = z
  .strictObject({
    createChat: optional(members, 'Additional members of the body of POST /api/v3/chat.'),
    patchChat: optional(
      members,
      'Body of PATCH /api/v3/chat/{chat_id}; default: `{ name: "{name}" }`.',
    ),
    upload: group('Form of an attachment upload.', {
      part: optional(text, 'Name of the file part; default: `file`.'),
      chatField: optional(
        text,
        'Name of the form field with the id of a chat; default: `chat_id`.',
      ),
    }),
    excludeFavorites: optional(
      text,
      'Value of the query parameter `exclude_favorites`; default: `true`.',
    ),
    assistant: optional(members, 'The `assistant` object of a one-shot.'),
    runs: optional(
      z.array(z.unknown()),
      'The `runs` of a one-shot; one of them states the fact `{nonce}`.',
    ),
    generate: optional(members, 'Additional members that every v3 generation and one-shot needs.'),
    oneShot: optional(
      members,
      'Additional members that every one-shot needs; they replace those of `generate`.',
    ),
    video: optional(members, 'Part of an input message with a video; `{url}` is its data URL.'),
  })
  .prefault({})
  .describe('Bodies that the interface document does not specify.')

const ignored = optional(pointer, 'Accepted and ignored: entries of a list are found by their ids.')

export const shapes = z
  .strictObject({
    chatId: optional(pointer, 'Id of a created chat.'),
    chatList: ignored,
    chatCursor: optional(pointer, 'Cursor of a list of chats.'),
    attachment: optional(pointer, 'Attachment in the response to an upload.'),
    attachmentList: ignored,
    attachmentCursor: optional(pointer, 'Cursor of a list of attachments.'),
    models: ignored,
  })
  .prefault({})
  .describe('JSON pointers into responses, for values that are not found otherwise.')

/** Network access and limits of a target profile. */

const file = text.min(1)

export const network = group('Network access to the target; relative paths start at the profile.', {
  httpVersion: optional(z.literal([1, 2]), 'The only HTTP version to use; default: ALPN decides.'),
  ca: optional(file, 'PEM file of additional trusted certificate authorities.'),
  insecure: optional(flag, 'True: do not verify the certificate of the target.'),
  cert: optional(file, 'PEM file of a client certificate.'),
  certKey: optional(file, 'PEM file of its private key, without a passphrase.'),
  proxy: optional(file, 'URL of an HTTP proxy, instead of HTTPS_PROXY and HTTP_PROXY.'),
  resolve: optional(z.array(text), 'Entries `HOST:PORT:ADDRESS`, as for `curl --resolve`.'),
})

/** Minimum rate: a timer cannot wait longer between two requests. */
const minPerSecond = 1000 / maxTimerMs

const size = (max: number, description: string) =>
  z.int().positive().default(max).describe(description)
const duration = (ms: number, description: string) =>
  timerMs.positive().default(ms).describe(description)
const wait = (ms: number, description: string) =>
  timerMs.nonnegative().default(ms).describe(description)

const { bodyBytes, streamBytes, lineBytes, streamEvents } = defaultBodyLimits

export const limits = z
  .strictObject({
    requestsPerSecond: z
      .number()
      .min(minPerSecond, 'must be at least one request in 24.8 days, the longest delay of a timer')
      .optional()
      .describe('Maximum request rate of a check; default: unlimited.'),
    timeoutMs: duration(60_000, 'Maximum time without data from the target, in milliseconds.'),
    settleMs: wait(2_000, 'Maximum time until a change is visible, in milliseconds.'),
    retryAfterMs: wait(60_000, 'Maximum wait that a Retry-After may request, in milliseconds.'),
    runMs: duration(4 * 3_600_000, 'Maximum duration of a run, in milliseconds.'),
    runBytes: size(4 * 1024 ** 3, 'Maximum size of all responses of a run, in bytes.'),
    bodyBytes: size(
      bodyBytes,
      'Maximum size of a response body, or of all pages of a list, in bytes.',
    ),
    streamBytes: size(streamBytes, 'Maximum size of a stream, in bytes.'),
    lineBytes: size(lineBytes, 'Maximum length of a line of a stream, in bytes.'),
    streamEvents: size(streamEvents, 'Maximum number of events of a stream.'),
    jsonDepth: size(200, 'Maximum nesting depth of JSON.'),
    historyRows: size(10_000, 'Maximum number of entries of a history, on all pages.'),
    pages: size(500, 'Maximum number of pages of a list.'),
  })
  .prefault({})
  .describe('Bounds of responses, waits and runs.')

/** Requests that the document does not show, as the profile writes them: `{name}` is filled in. */

export type Values = Readonly<Record<string, string>>

/** Fills `{name}` in every text of a value; a name without a value stays as it is. */
export function fill<T>(template: T, values: Values): T
export function fill(template: unknown, values: Values): unknown {
  return mapTexts(template, (text) =>
    text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole),
  )
}

/**
 * The same value with each text in it changed.
 * @param path of the value in its document
 */
export function mapTexts(
  value: unknown,
  change: (text: string, path: Path) => string,
  path: Path = [],
): unknown {
  if (typeof value === 'string') return change(value, path)
  if (typeof value !== 'object' || value === null) return value
  const inner = (entry: unknown, key: PropertyKey) => mapTexts(entry, change, [...path, key])
  if (Array.isArray(value)) return value.map(inner)
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, inner(entry, key)]))
}
