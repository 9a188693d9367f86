/**
 * A server of a few lines whose stream is stamped as it is written: what is known to have been sent at
 * a time, and read by the loops that read the load. It runs in the main thread, so that a worker that
 * is busy delays its own reading and not the writing as well.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface ClockProbeServer {
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
