const mebibyte = 1024 * 1024

/** Limits of a body; beyond them the conversation is aborted; `limits` of a target profile. */
export interface BodyLimits {
  /** Bytes of an unstreamed body, before and after its Content-Encoding is undone. */
  readonly bodyBytes: number
  /** The same of an event stream. */
  readonly streamBytes: number
  /** Bytes of a line of an event stream. */
  readonly lineBytes: number
  /** Events of a stream. */
  readonly streamEvents: number
}

/** A quarter more than an answer of 32,000 tokens takes, each of them an event of 300 bytes. */
export const defaultBodyLimits: BodyLimits = {
  bodyBytes: 8 * mebibyte,
  streamBytes: 16 * mebibyte,
  lineBytes: 4 * mebibyte,
  streamEvents: 40_000,
}
