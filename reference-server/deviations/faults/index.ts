/** All faults, by surface and section. */
import type { ModelRequest } from '../../model/types.ts'
import type { Services } from '../../services.ts'
import { rechunk } from '../patches/framing.ts'
import { everywhere } from '../patches/requests.ts'
import { counting } from '../patches/services.ts'
import { type Fault, faultTable } from '../table.ts'
import { grammarFaults } from './grammar.ts'
import { openaiFaults } from './openai.ts'
import { v2Faults, versionFaults } from './v2.ts'
import { chatFaults, fileFaults } from './v3/chats.ts'
import { generateFaults, historyFaults } from './v3/generate.ts'
import { idempotencyFaults } from './v3/idempotency.ts'
import { streamEventFaults, streamFramingFaults } from './v3/streams.ts'

export const faults: readonly Fault[] = [
  ...grammarFaults,
  ...openaiFaults,
  ...v2Faults,
  ...chatFaults,
  ...generateFaults,
  ...historyFaults,
  ...idempotencyFaults,
  ...streamFramingFaults,
  ...streamEventFaults,
  ...fileFaults,
  ...versionFaults,
]

/** Number of requests within a second from which the server counts as loaded. */
const busyThreshold = 20
/** Number of answers of which one belongs to another request, under load. */
const mixUpInterval = 25

/**
 * Faults that occur only under load. Sequential requests do not find them, so they are not part of the proof of
 * the suites; a load run must find and name them.
 */
export const loadFaults = faultTable({
  'V3-CTX-02 V2-CTX-02 load-answers-of-others: Under load, every 25th answer is generated from the messages of the previous request.':
    mixUpClients,
  'V3-SSE-08 OAI-STREAM-12 load-one-stream-in-a-thousand-cut: The connection is aborted after the third block of every thousandth stream.':
    counting((next) =>
      rechunk(everywhere, async function* (chunks) {
        const isCut = next() % 1000 === 0
        let at = 0
        for await (const chunk of chunks) {
          if (isCut && at === 3) throw new DOMException('cut', 'AbortError')
          yield chunk
          at += 1
        }
      }),
    ),
})

function mixUpClients(services: Services): Services {
  const times: number[] = []
  let before: ModelRequest | undefined
  let answers = 0
  return {
    ...services,
    model: (request) => {
      const now = services.clock.now()
      times.push(now)
      while ((times[0] ?? now) < now - 1000) times.shift()
      const other = before
      before = request
      answers += 1
      const isMixedUp = times.length >= busyThreshold && answers % mixUpInterval === 0
      return services.model(isMixedUp && other ? { ...request, turns: other.turns } : request)
    },
  }
}
