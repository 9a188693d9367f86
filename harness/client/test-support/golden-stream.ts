/** An event stream with everything that the rules allow, and its events. */

const text = [
  ': a comment first',
  'event: response.created',
  'data: {"type":"response.created","response":{"id":"resp_1"}}',
  '',
  'event:no-space',
  'data:{"a":1}',
  '',
  'event: several lines',
  'data: {',
  'data:   "delta": "Größe 東京 👩‍🚀"',
  'data: }',
  '',
  ': heartbeat',
  '',
  'data',
  'data: second',
  'id: 7',
  'retry: 10',
  'unknown: field',
  '',
  'event: without data',
  '',
  'data: [DONE]',
  '',
  '',
]

export const goldenEvents = [
  { name: 'response.created', data: '{"type":"response.created","response":{"id":"resp_1"}}' },
  { name: 'no-space', data: '{"a":1}' },
  { name: 'several lines', data: '{\n  "delta": "Größe 東京 👩‍🚀"\n}' },
  { name: null, data: '\nsecond' },
  { name: null, data: '[DONE]' },
]

export function goldenStream(lineEnd: '\n' | '\r\n'): Buffer {
  return Buffer.from(text.join(lineEnd))
}

/** Cuts bytes at the given places, in any order; those behind the end do not count. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const within = places.filter((place) => place < bytes.length)
  const borders = [...new Set([0, ...within, bytes.length])].sort((a, b) => a - b)
  return borders.slice(1).map((end, at) => bytes.subarray(borders[at], end))
}
