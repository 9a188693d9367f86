/** Encodes one SSE block, independent of its content. */

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
