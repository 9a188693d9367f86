/** One SSE block as bytes; knows nothing of what it carries. */

export interface SseBlock {
  /** Left out on the compatible surface, whose stream has data lines alone. */
  readonly event?: string
  /** A JSON value, or text that stands for itself, such as `[DONE]`. */
  readonly data: object | string
}

export type EncodeBlock = (block: SseBlock) => Uint8Array

export const sseHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const

/** JSON has no line breaks of its own, so that one data line holds it. */
export const encodeBlock: EncodeBlock = ({ event, data }) => {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return Buffer.from(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`)
}
