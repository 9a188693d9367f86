/** A worker's live timestamp error: its stamp of a read, less the stamp of the server that wrote it. */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Histogram, type StoredHistogram } from '../metrics/samples/histogram.ts'

const stampLine = /: sent (\d+)\n\n/g

export class ClockProbe {
  readonly #errors = new Histogram()
  readonly #socket: Socket
  #rest = ''

  /** @param port of the canary server */
  constructor(port: number) {
    const buffer = Buffer.allocUnsafe(16 * 1024)
    this.#socket = connect({
      host: '127.0.0.1',
      port,
      onread: {
        buffer,
        callback: (length) => {
          // Before anything else, as in the reading of the load.
          const at = process.hrtime.bigint()
          this.#read(buffer.toString('latin1', 0, length), at)
          return true
        },
      },
    })
    // Without a canary there is no error known, which the verdict says.
    this.#socket.on('error', () => {})
  }

  /** Nanoseconds, in buckets. */
  end(): StoredHistogram {
    this.#socket.destroy()
    return this.#errors.store()
  }

  #read(text: string, at: bigint): void {
    const whole = this.#rest + text
    let end = 0
    for (const match of whole.matchAll(stampLine)) {
      this.#errors.add(Number(at - BigInt(match[1] ?? 0)))
      end = match.index + match[0].length
    }
    this.#rest = whole.slice(end)
  }
}

interface ClockProbeServer {
  readonly port: number
  close(): void
}

/** Poisson arrivals see time averages (Wolff 1982): no rhythm of the loop is missed or met too often. */
const meanGapMs = 10

/** @throws the error of `listen` */
export async function startClockProbeServer(): Promise<ClockProbeServer> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    const writeStamp = () => {
      socket.write(`: sent ${process.hrtime.bigint()}\n\n`)
      next = setTimeout(writeStamp, nextGap())
    }
    let next = setTimeout(writeStamp, nextGap())
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(next)
      sockets.delete(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function nextGap(): number {
  return -meanGapMs * Math.log(1 - Math.random())
}
