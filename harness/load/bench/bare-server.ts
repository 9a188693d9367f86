/**
 * Minimal node:http server without logic: writes bytes that another server wrote. Runs as a process, reads
 * the answer as one line of its standard input, and ends with that input.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

/** An answer as seen on the wire: `pieces` in base64, each written separately. */
export interface KnownAnswer {
  readonly status: number
  readonly contentType: string
  readonly stream: boolean
  readonly pieces: readonly string[]
}

const lines = createInterface(process.stdin)
lines.once('line', (line) => {
  const { status, contentType, stream, pieces }: KnownAnswer = JSON.parse(line)
  const buffers = pieces.map((piece) => Buffer.from(piece, 'base64'))
  const head = { 'content-type': contentType }
  const length = { 'content-length': buffers.reduce((sum, { length }) => sum + length, 0) }
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(status, stream ? head : { ...head, ...length })
      if (stream) response.flushHeaders()
      writeEach(response, buffers)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`Listening on http://127.0.0.1:${port}\n`)
  })
})
lines.once('close', () => process.exit())
process.once('SIGTERM', () => process.exit())

/** Writes one piece after the other, like a server whose events come one at a time. */
function writeEach(response: ServerResponse, pieces: readonly Buffer[], from = 0): void {
  const piece = pieces[from]
  if (piece === undefined || response.destroyed) response.end()
  else response.write(piece, () => writeEach(response, pieces, from + 1))
}
