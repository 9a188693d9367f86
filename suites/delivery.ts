import { deliveredWhileMade, type Exchange } from '../harness/conformance/scenario/index.ts'

type Delivery = ReturnType<typeof deliveredWhileMade>

const mostAsks = 3

/** Where a request that takes no work takes this share of an answer's time, all of it is waiting. */
const idleShare = 0.2

/**
 * How a streamed answer arrives. One that came in one go may have met a stall of the network or of
 * this machine: three in a row count, each beside a request that `idle` sends and that is answered
 * far sooner.
 */
export async function deliveryOf(
  ask: () => Promise<Exchange>,
  idle: () => Promise<Exchange>,
): Promise<{ readonly delivery: Delivery; readonly replies: readonly Exchange[] }> {
  const replies: Exchange[] = []
  while (replies.length < mostAsks) {
    const reply = await ask()
    const delivery = deliveredWhileMade(reply)
    replies.push(reply)
    if (delivery === 'spread') return { delivery, replies: [reply] }
    if (delivery === 'too-short-to-tell') continue
    const control = await idle()
    if (control.ending.atMs > reply.ending.atMs * idleShare) {
      return { delivery: 'too-short-to-tell', replies: [...replies, control] }
    }
  }
  const bunched = replies.every((reply) => deliveredWhileMade(reply) === 'bunched')
  return { delivery: bunched ? 'bunched' : 'too-short-to-tell', replies }
}
