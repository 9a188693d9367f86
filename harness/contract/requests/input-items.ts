/** Input items in the Responses format: what `input` of v3 may hold (sections 2.6 and 4.3). */
import { z } from 'zod'

const inputPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('input_text'), text: z.string() }),
  z.looseObject({
    type: z.literal('input_image'),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
    detail: z.string().nullish(),
  }),
  z.looseObject({
    type: z.literal('input_file'),
    file_id: z.string().nullish(),
    file_url: z.string().nullish(),
    file_data: z.string().nullish(),
    filename: z.string().nullish(),
  }),
  z.looseObject({ type: z.literal('input_video'), video_url: z.string() }),
  z.looseObject({ type: z.literal('input_audio') }),
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

/** A member without `type` is a message: the short form that clients send. */
const inputItem = z.union([
  inputMessage,
  z.discriminatedUnion('type', [functionCall, functionCallOutput, reasoning, fileSearchCall]),
])

export const input = z.union([z.string().min(1), z.array(inputItem).min(1)])

export type Input = z.output<typeof input>
export type InputItem = z.output<typeof inputItem>
export type InputPart = z.output<typeof inputPart>
