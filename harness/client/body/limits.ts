import { type Header, header } from '../../../contract/index.ts'

const mebibyte = 1024 * 1024

/** Limits of a body, from `limits` of a target profile; the conversation is aborted beyond them. */
export type BodyLimits = Readonly<typeof defaultBodyLimits>

/** A quarter more than an answer of 32,000 tokens takes, each of them an event of 300 bytes. */
export const defaultBodyLimits = {
  /** Bytes of an unstreamed body, before and after its Content-Encoding is undone. */
  bodyBytes: 8 * mebibyte,
  /** The same for an event stream. */
  streamBytes: 16 * mebibyte,
  /** Bytes of a line of an event stream. */
  lineBytes: 4 * mebibyte,
  streamEvents: 40_000,
}

/** Maximum bytes of a body, and their name in messages. */
export type MaxSize = Readonly<ReturnType<typeof maxSizeOf>>

export function maxSizeOf(limits: BodyLimits, isStream: boolean) {
  const name = isStream ? 'streamBytes' : 'bodyBytes'
  return { maxBytes: limits[name], maxBytesName: `${limits[name]} bytes (limits.${name})` }
}

/**
 * Length of the encoded body that a response announces; undefined if it announces none, or one that does not
 * apply to the bytes that follow (RFC 9110, section 8.6).
 */
export function announcedBytes(
  method: string,
  status: number,
  headers: readonly Header[],
): number | undefined {
  if (method === 'HEAD' || status === 204 || status === 304) return undefined
  // It overrides Content-Length (RFC 9112, section 6.3).
  if (header(headers, 'transfer-encoding') !== undefined) return undefined
  const value = header(headers, 'content-length')?.trim() ?? ''
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined
}
