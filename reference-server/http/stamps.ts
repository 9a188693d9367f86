/**
 * Monotonic stamps on request, in nanoseconds of CLOCK_MONOTONIC, which is one clock for all processes
 * of a machine: a client on the same machine can distinguish its own timestamp error from server time.
 */
import { mapValues } from '../runtime/timed-values.ts'
import type { Call, Reply } from './call.ts'
import type { Encoding } from './writer.ts'

/** Services that process an answer before it is written. */
interface WayOut extends Pick<Encoding, 'bytes'> {
  readonly outgoing: (call: Call, reply: Reply) => Reply
}

/** Header that requests stamps with the value 1; without it, answers are byte for byte unchanged. */
export const stampsHeader = 'x-chatgen-stamps'

/**
 * An answer has the time at which its request was received (`x-chatgen-received`) and, if it is not streamed,
 * the time at which it was sent (`x-chatgen-sent`). In a stream, each event begins with the comment
 * `: sent <ns>`, in the same write.
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
