import { z } from 'zod'
import { maxTimerMs, timerMs } from '../../../contract/timer.ts'
import { defaultBodyLimits } from '../../client/index.ts'

/** Requests and responses of a target that the document does not specify, in a target profile. */

export const members = z.record(z.string(), z.unknown())

export const pointer = z.string().regex(/^(\/[^/]*)*$/, 'must be a JSON pointer such as /chat/id')

export const request = z.strictObject({
  method: z
    .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .default('GET')
    .meta({ description: 'Method.' }),
  path: z.string().meta({ description: 'Path; `{name}` placeholders are filled in.' }),
  query: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Query parameters; placeholders are filled in.' }),
  body: z.unknown().optional().meta({ description: 'JSON body; placeholders are filled in.' }),
  part: z
    .string()
    .optional()
    .meta({ description: 'Name of the file part if the request is an upload; default: `file`.' }),
})

export const requests = z
  .strictObject({
    createChat: members.optional().meta({
      description: 'Additional members of the body of POST /api/v3/chat.',
    }),
    patchChat: members.optional().meta({
      description: 'Body of PATCH /api/v3/chat/{chat_id}; default: `{ name: "{name}" }`.',
    }),
    upload: z
      .strictObject({
        part: z.string().optional().meta({
          description: 'Name of the file part; default: `file`.',
        }),
        chatField: z.string().optional().meta({
          description: 'Name of the form field with the id of a chat; default: `chat_id`.',
        }),
      })
      .optional()
      .meta({ description: 'Form of an attachment upload.' }),
    excludeFavorites: z.string().optional().meta({
      description: 'Value of the query parameter `exclude_favorites`; default: `true`.',
    }),
    assistant: members.optional().meta({
      description: 'The `assistant` object of a one-shot.',
    }),
    runs: z.array(z.unknown()).optional().meta({
      description: 'The `runs` of a one-shot; one of them states the fact `{nonce}`.',
    }),
    generate: members.optional().meta({
      description: 'Members without which a v3 generation or a one-shot is refused.',
    }),
    oneShot: members.optional().meta({
      description: 'Members without which a one-shot is refused.',
    }),
    video: members.optional().meta({
      description: 'Part of an input message with a video; `{url}` is its data URL.',
    }),
  })
  .prefault({})
  .meta({ description: 'Bodies that the interface document does not specify.' })

export const shapes = z
  .strictObject({
    chatId: pointer.optional().meta({ description: 'Id of a created chat.' }),
    chatList: pointer
      .optional()
      .meta({ description: 'Accepted and ignored: entries of a list are found by their ids.' }),
    chatCursor: pointer.optional().meta({ description: 'Cursor of a list of chats.' }),
    attachment: pointer
      .optional()
      .meta({ description: 'Attachment in the response to an upload.' }),
    attachmentList: pointer
      .optional()
      .meta({ description: 'Accepted and ignored: entries of a list are found by their ids.' }),
    attachmentCursor: pointer.optional().meta({ description: 'Cursor of a list of attachments.' }),
    models: pointer
      .optional()
      .meta({ description: 'Accepted and ignored: entries of a list are found by their ids.' }),
  })
  .prefault({})
  .meta({
    description: 'JSON pointers into responses, for values that are not found otherwise.',
  })

/** Network access and limits of a target profile. */

/** The wait between two requests is that of a timer. */
const minPerSecond = 1000 / maxTimerMs

const size = z.int().positive()

export const network = z
  .strictObject({
    httpVersion: z.literal([1, 2]).optional().meta({
      description: 'The only HTTP version to use; default: ALPN decides.',
    }),
    ca: z.string().min(1).optional().meta({
      description: 'PEM file of additional trusted certificate authorities.',
    }),
    insecure: z.boolean().optional().meta({
      description: 'True: the certificate of the target is not verified.',
    }),
    cert: z.string().min(1).optional().meta({
      description: 'PEM file of a client certificate.',
    }),
    certKey: z.string().min(1).optional().meta({
      description: 'PEM file of its private key, without a passphrase.',
    }),
    proxy: z.string().min(1).optional().meta({
      description: 'URL of an HTTP proxy, instead of HTTPS_PROXY and HTTP_PROXY.',
    }),
    resolve: z.array(z.string()).optional().meta({
      description: 'Entries `HOST:PORT:ADDRESS`, as for `curl --resolve`.',
    }),
  })
  .optional()
  .meta({ description: 'Network access to the target; relative paths start at the profile.' })

export const limits = z
  .strictObject({
    requestsPerSecond: z
      .number()
      .min(minPerSecond, 'must be at least one request in 24.8 days, the longest delay of a timer')
      .optional()
      .meta({
        description: 'Maximum request rate of a check; default: unlimited.',
      }),
    timeoutMs: timerMs.positive().default(60_000).meta({
      description: 'Maximum time without data from the target, in milliseconds.',
    }),
    settleMs: timerMs.nonnegative().default(2_000).meta({
      description: 'Maximum time until a change is visible, in milliseconds.',
    }),
    retryAfterMs: timerMs.nonnegative().default(60_000).meta({
      description: 'Maximum wait that a Retry-After may request, in milliseconds.',
    }),
    runMs: timerMs
      .positive()
      .default(4 * 3_600_000)
      .meta({ description: 'Maximum duration of a run, in milliseconds.' }),
    runBytes: size.default(4 * 1024 ** 3).meta({
      description: 'Maximum size of all responses of a run, in bytes.',
    }),
    bodyBytes: size.default(defaultBodyLimits.bodyBytes).meta({
      description: 'Maximum size of a response body, or of all pages of a list, in bytes.',
    }),
    streamBytes: size.default(defaultBodyLimits.streamBytes).meta({
      description: 'Maximum size of a stream, in bytes.',
    }),
    lineBytes: size.default(defaultBodyLimits.lineBytes).meta({
      description: 'Maximum length of a line of a stream, in bytes.',
    }),
    streamEvents: size.default(defaultBodyLimits.streamEvents).meta({
      description: 'Maximum number of events of a stream.',
    }),
    jsonDepth: size.default(200).meta({ description: 'Maximum nesting depth of JSON.' }),
    historyRows: size.default(10_000).meta({
      description: 'Maximum number of entries of a history, on all pages.',
    }),
    pages: size.default(500).meta({ description: 'Maximum number of pages of a list.' }),
  })
  .prefault({})
  .meta({ description: 'Bounds of responses, waits and runs.' })
