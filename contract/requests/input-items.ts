/** Input items in the Responses format: what `input` of v3 may hold (sections 2.6 and 4.3). */
import { z } from 'zod'
import { withOneOf } from './fields.ts'

/** Media URL. Only its beginning is checked: the rest may be megabytes of base64. */
const mediaUrl = z
  .string()
  .regex(/^(https?:\/\/[^\s/]|data:[\w.+-]+\/[\w.+-]+[;,])/i, 'must be a http(s) or data URL')

const inputImage = z
  .looseObject({
    type: z.literal('input_image'),
    image_url: mediaUrl.nullish(),
    file_id: z.string().nullish(),
    detail: z.string().nullish(),
  })
  .refine(oneOf('image_url', 'file_id'), 'image_url or file_id is required')
  .meta(withOneOf('image_url', 'file_id'))

const inputVideo = z
  .looseObject({
    type: z.literal('input_video'),
    video_url: mediaUrl.nullish(),
    file_id: z.string().nullish(),
  })
  .refine(oneOf('video_url', 'file_id'), 'video_url or file_id is required')
  .meta(withOneOf('video_url', 'file_id'))

const inputFile = z
  .looseObject({
    type: z.literal('input_file'),
    file_id: z.string().nullish(),
    file_url: mediaUrl.nullish(),
    /** Base64, bare or in a data URL. */
    file_data: z.string().nullish(),
    filename: z.string().nullish(),
  })
  .refine(oneOf('file_id', 'file_url', 'file_data'), 'file_id, file_url or file_data is required')
  .meta(withOneOf('file_id', 'file_url', 'file_data'))

const inputAudio = z.looseObject({ type: z.literal('input_audio') })

const inputPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('input_text'), text: z.string() }),
  inputImage,
  inputVideo,
  inputFile,
  inputAudio,
  z.looseObject({ type: z.literal('output_text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
])

const inputMessage = z.looseObject({
  type: z.literal('message').default('message'),
  role: z.enum(['user', 'system', 'developer', 'assistant']),
  content: z.union([z.string(), z.array(inputPart)]),
})

const functionCall = z.looseObject({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
})

const functionCallOutput = z.looseObject({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: z.union([z.string(), z.array(inputPart)]),
})

const reasoning = z.looseObject({ type: z.literal('reasoning') })
const fileSearchCall = z.looseObject({ type: z.literal('file_search_call') })

/** An item without `type` is a message, the short form that clients send; media may be items themselves. */
export const inputItem = z.union([
  inputMessage,
  z.discriminatedUnion('type', [
    functionCall,
    functionCallOutput,
    reasoning,
    fileSearchCall,
    inputImage,
    inputVideo,
    inputFile,
    inputAudio,
  ]),
])

export const input = z.union([z.string().min(1), z.array(inputItem).min(1)])

export type Input = z.output<typeof input>
export type InputItem = z.output<typeof inputItem>

function oneOf(...members: readonly string[]) {
  return (part: Readonly<Record<string, unknown>>) =>
    members.some((member) => typeof part[member] === 'string' && part[member] !== '')
}
