import { z } from 'zod'

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
