import { deliveredWhileMade, type Exchange } from '../harness/conformance/scenario/index.ts'

type Delivery = ReturnType<typeof deliveredWhileMade>

const mostAsks = 3

/**
 * How a streamed answer arrives. One answer that came in one go may have met a stall of the network
 * or of this machine; three in a row did not.
 */
export async function deliveryOf(
  ask: () => Promise<Exchange>,
): Promise<{ readonly delivery: Delivery; readonly replies: readonly Exchange[] }> {
  const replies: Exchange[] = []
  const seen: Delivery[] = []
  while (replies.length < mostAsks) {
    const reply = await ask()
    const delivery = deliveredWhileMade(reply)
    replies.push(reply)
    seen.push(delivery)
    if (delivery === 'spread') return { delivery, replies: [reply] }
  }
  const delivery = seen.every((one) => one === 'bunched') ? 'bunched' : 'too-short-to-tell'
  return { delivery, replies }
}
