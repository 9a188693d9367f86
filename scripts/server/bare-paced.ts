/** A bare node:http server that streams pieces at fixed intervals, both from a line of JSON on standard input. */
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

export interface PacedAnswer {
  readonly pieces: readonly string[]
  readonly gapMs: number
}

const lines = createInterface(process.stdin)
lines.once('line', (line) => {
  const { pieces, gapMs }: PacedAnswer = JSON.parse(line)
  const server = createServer((request, response) => {
    const isStamped = request.headers['x-chatgen-stamps'] === '1'
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      const startedAt = performance.now()
      let next = 0
      // An interval would drift, and count the events that it leaves out as saved time.
      const wait = () => setTimeout(write, startedAt + next * gapMs - performance.now())
      const write = () => {
        const piece = pieces[next++]
        if (piece === undefined) return response.end()
        response.write(isStamped ? `: sent ${process.hrtime.bigint()}\n${piece}` : piece)
        timer = wait()
      }
      let timer = wait()
      response.once('close', () => clearTimeout(timer))
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    process.stdout.write(`Listening on http://127.0.0.1:${address.port}\n`)
  })
})
lines.once('close', () => process.exit())
process.once('SIGTERM', () => process.exit())
