import { constants } from 'node:http2'

/** What became of an HTTP/2 stream or connection, in the names of RFC 9113, section 7. */
export class Http2Error extends Error {
  override readonly name = 'Http2Error'
  /** The peer said that it has done nothing for the request, so it may be sent again. */
  readonly unprocessed: boolean
  /** The peer reset this one stream. */
  readonly reset: boolean

  constructor(message: string, { unprocessed = false, reset = false } = {}) {
    super(message)
    this.unprocessed = unprocessed
    this.reset = reset
  }
}

/** `INTERNAL_ERROR`, or the number of a code that the document does not name. */
export function errorCodeName(code: number): string {
  return names.get(code) ?? `error ${code}`
}

const prefix = 'NGHTTP2_'
const names: ReadonlyMap<number, string> = new Map(
  [
    ...['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT'],
    ...['STREAM_CLOSED', 'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR'],
    ...['CONNECT_ERROR', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'],
  ].map((name) => [codeOf(name), name]),
)

function codeOf(name: string): number {
  const value: unknown = Reflect.get(constants, `${prefix}${name}`)
  return typeof value === 'number' ? value : -1
}
