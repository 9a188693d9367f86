import type { Header } from '../../../contract/index.ts'

/** What a peer sent is no HTTP/1.1 response. */
export class HttpSyntaxError extends Error {
  override readonly name = 'HttpSyntaxError'
  readonly code = 'E_HTTP_SYNTAX'
}

/** Is told what a response brings. `at` is the stamp of the socket read that brought it. */
export interface ResponseSink {
  head(status: number, headers: readonly Header[], at: number): void
  /** The memory is used again after the call. */
  data(bytes: Uint8Array, at: number): void
  end(at: number): void
}
