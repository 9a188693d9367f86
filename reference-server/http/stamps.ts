/**
 * Monotonic stamps on request, in nanoseconds of CLOCK_MONOTONIC, which is one clock for all processes
 * of a machine: a client beside the server can tell its own timestamp error from the server's time.
 */
import { mapValues } from '../runtime/timed-values.ts'
import type { Call, Reply } from './call.ts'
import type { Encoding } from './writer.ts'

/** Services that an answer passes on its way out. */
interface WayOut extends Pick<Encoding, 'bytes'> {
  readonly outgoing: (call: Call, reply: Reply) => Reply
}

/** Header that with the value 1 asks for stamps; without it, answers are byte for byte what they always are. */
export const stampsHeader = 'x-chatgen-stamps'

/**
 * An answer says when its request was received (`x-chatgen-received`); one in one piece, also when it
 * was sent (`x-chatgen-sent`); in a stream each event begins with the comment `: sent <ns>`, in the
 * same write.
 */
export function stampsOnRequest<Out extends WayOut>(services: Out): Out {
  const streamed = new WeakSet<Call>()
  return {
    ...services,
    outgoing: (call, reply) => {
      const original = services.outgoing(call, reply)
      if (call.headers[stampsHeader] !== '1') return original
      const received = { 'x-chatgen-received': String(call.receivedNs) }
      if ('blocks' in original) {
        streamed.add(call)
        return { ...original, headers: { ...original.headers, ...received } }
      }
      const sent = { 'x-chatgen-sent': String(process.hrtime.bigint()) }
      return { ...original, headers: { ...original.headers, ...received, ...sent } }
    },
    bytes: (call, chunks) => {
      const original = services.bytes(call, chunks)
      return streamed.has(call) ? mapValues(original, stamped) : original
    },
  }
}

function stamped(chunk: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`: sent ${process.hrtime.bigint()}\n`), chunk])
}
