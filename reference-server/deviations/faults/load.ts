/**
 * Faults that occur only under load. Sequential requests do not find them, so they are not part of the proof of
 * the suites; a load run must find and name them.
 */
import type { ModelRequest } from '../../model/types.ts'
import type { Patch, Services } from '../../services.ts'
import { rechunkAll } from '../patches/framing.ts'
import { perServer } from '../patches/services.ts'
import { faultTable } from '../table.ts'

/** Number of requests within a second from which the server counts as loaded. */
const busyThreshold = 20
/** Number of answers of which one belongs to another request, under load. */
const mixUpInterval = 25

export const loadFaults = faultTable({
  'V3-CTX-02': {
    'load-answers-of-others: Under load, every 25th answer is generated from the messages of the previous request.':
      { also: ['V2-CTX-02'], patch: perServer(mixUpClients) },
  },
  'V3-SSE-08': {
    'load-one-stream-in-a-thousand-cut: The connection is aborted after the third block of every thousandth stream.':
      { also: ['OAI-STREAM-12'], patch: perServer(() => cutEveryNth(1000)) },
  },
})

function mixUpClients(): Patch {
  const times: number[] = []
  let before: ModelRequest | undefined
  let answers = 0
  return ({ model, clock, ...services }): Services => ({
    ...services,
    clock,
    model: (request) => {
      const now = clock.now()
      times.push(now)
      while ((times[0] ?? now) < now - 1000) times.shift()
      const other = before
      before = request
      answers += 1
      if (times.length < busyThreshold || answers % mixUpInterval > 0 || other === undefined)
        return model(request)
      return model({ ...request, turns: other.turns })
    },
  })
}

function cutEveryNth(count: number): Patch {
  let streams = 0
  return rechunkAll(async function* (chunks) {
    streams += 1
    const isCut = streams % count === 0
    let at = 0
    for await (const chunk of chunks) {
      if (isCut && at === 3) throw new DOMException('cut', 'AbortError')
      yield chunk
      at += 1
    }
  })
}
