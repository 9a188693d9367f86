/** The Responses event sequence of one run, in the order of the grammar of the contract (section 6), and SSE blocks. */
import { contentPart, finalResponse, itemOf, runningResponse, stepText } from './response-object.ts'
import { type ResponseRun, type RunStep, runStatus } from './run.ts'

/** An event before it is numbered. */
type Unnumbered = { readonly type: string } & Readonly<Record<string, unknown>>

export type ResponseEvent = Unnumbered & { readonly sequence_number: number }

/** Pure: a run always has the same events, ids and numbers, so that a replay equals the stream. */
export function* responseEvents(run: ResponseRun): Generator<ResponseEvent> {
  let sequence_number = 0
  for (const event of unnumbered(run)) {
    yield Object.assign({ type: event.type, sequence_number }, event)
    sequence_number += 1
  }
}

/** True for an event that ends the run: the last of the stream, or an error before it. */
export function endsRun(event: ResponseEvent): boolean {
  return terminal.has(event.type)
}

/** True for an event with a text fragment, to which the pace of the model applies. */
export function isFragment(event: ResponseEvent): boolean {
  return typeof event['delta'] === 'string'
}

const terminal = new Set(['error', 'response.completed', 'response.incomplete', 'response.failed'])

function* unnumbered(run: ResponseRun): Generator<Unnumbered> {
  yield { type: 'response.created', response: runningResponse(run) }
  yield { type: 'response.in_progress', response: runningResponse(run) }
  for (const [index, step] of run.steps.entries()) yield* itemEvents(step, index)
  if (run.failure !== null) yield errorEvent(run.failure)
  yield { type: `response.${runStatus(run)}`, response: finalResponse(run) }
}

function* itemEvents(step: RunStep, output_index: number): Generator<Unnumbered> {
  const place: Place = { item_id: step.itemId, output_index }
  yield { type: 'response.output_item.added', output_index, item: itemOf(step, true) }
  if (step.type === 'function_call') yield* argumentEvents(step, place)
  else if (step.type === 'file_search') {
    for (const state of ['in_progress', 'searching', 'completed']) {
      yield { type: `response.file_search_call.${state}`, ...place }
    }
  } else yield* partEvents(step, place)
  yield { type: 'response.output_item.done', output_index, item: itemOf(step) }
}

interface Place {
  readonly item_id: string
  readonly output_index: number
}

function* partEvents(step: RunStep, item: Place): Generator<Unnumbered> {
  const place = { ...item, content_index: 0 }
  const part = contentPart(step, stepText(step))
  const { type, annotations = [], ...whole } = part
  const family = `response.${type}`
  const extra = 'logprobs' in whole ? { logprobs: whole.logprobs } : {}
  yield { type: 'response.content_part.added', ...place, part: contentPart(step, '') }
  for (const delta of step.fragments) yield { type: `${family}.delta`, ...place, delta, ...extra }
  for (const [annotation_index, annotation] of annotations.entries()) {
    yield { type: `${family}.annotation.added`, ...place, annotation_index, annotation }
  }
  yield { type: `${family}.done`, ...place, ...whole }
  yield { type: 'response.content_part.done', ...place, part }
}

function* argumentEvents(
  step: RunStep & { readonly name: string },
  place: Place,
): Generator<Unnumbered> {
  const family = 'response.function_call_arguments'
  for (const delta of step.fragments) yield { type: `${family}.delta`, ...place, delta }
  yield { type: `${family}.done`, ...place, name: step.name, arguments: stepText(step) }
}

/** Both flat and nested, because clients read one form or the other. */
function errorEvent({ code, message }: { code: string; message: string }): Unnumbered {
  const error = { type: 'server_error', code, message, param: null }
  return { type: 'error', code, message, param: null, error }
}

export interface SseBlock {
  /** Absent on the compatible surface, whose stream has only data lines. */
  readonly event?: string
  /** A JSON value, or literal text such as `[DONE]`. */
  readonly data: object | string
}

export type EncodeBlock = (block: SseBlock) => Uint8Array

export const sseHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const

/** Serialized JSON has no line breaks, so one data line is enough. */
export const encodeBlock: EncodeBlock = ({ event, data }) => {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return Buffer.from(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`)
}
