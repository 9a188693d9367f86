/** A worker's live timestamp error: its stamp of a read minus that of the server that wrote it. */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Histogram } from '../metrics/samples/histogram.ts'

/** A stamp: nanoseconds of the monotonic clock as a double, which is exact for a hundred days. */
const stampBytes = 8

export class ClockProbe {
  readonly #errors = new Histogram()
  readonly #socket: Socket
  #rest = Buffer.alloc(0)

  /** @param port of the canary server */
  constructor(port: number) {
    const buffer = Buffer.allocUnsafe(16 * 1024)
    this.#socket = connect({
      host: '127.0.0.1',
      port,
      onread: {
        buffer,
        callback: (length) => {
          // Taken before anything else, as in the reads of the load.
          const at = Number(process.hrtime.bigint())
          this.#read(buffer.subarray(0, length), at)
          return true
        },
      },
    })
    // Without a canary the error is unknown, which the verdict reports.
    this.#socket.on('error', () => {})
  }

  /** Nanoseconds, in buckets. */
  end(): Histogram {
    this.#socket.destroy()
    return this.#errors
  }

  #read(bytes: Buffer, at: number): void {
    const whole = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const end = whole.length - (whole.length % stampBytes)
    for (let from = 0; from < end; from += stampBytes)
      this.#errors.add(at - whole.readDoubleLE(from))
    // The buffer of a read is reused.
    this.#rest = Buffer.from(whole.subarray(end))
  }
}

interface ClockProbeServer {
  readonly port: number
  close(): void
}

/** Poisson arrivals see time averages (Wolff 1982): no rhythm of the loop is over- or underrepresented. */
const meanGapMs = 10

/** @throws the error of `listen` */
export async function startClockProbeServer(): Promise<ClockProbeServer> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    const writeStamp = () => {
      socket.write(stampOf(Number(process.hrtime.bigint())))
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

export function stampOf(ns: number): Buffer {
  const stamp = Buffer.allocUnsafe(stampBytes)
  stamp.writeDoubleLE(ns)
  return stamp
}

function nextGap(): number {
  return -meanGapMs * Math.log(1 - Math.random())
}
