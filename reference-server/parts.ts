/** The replaceable parts of the server, and how they are put together by default. */

import type { ResponseRun } from './events/run.ts'
import { type ResponseEvent, responseEvents } from './events/sequence.ts'
import { encodeBlock } from './events/sse.ts'
import { type Authenticate, bearerAuthentication } from './http/auth.ts'
import type { Call, Reply } from './http/call.ts'
import { type RateLimit, requestsPerMinute, withoutLimit } from './http/rate-limit.ts'
import { stampsOnRequest } from './http/stamps.ts'
import type { Encoding } from './http/writer.ts'
import { fakeModel } from './model/fake-model.ts'
import type { Model } from './model/types.ts'
import { retrieve } from './retrieval/retrieval.ts'
import type { Retrieval } from './retrieval/types.ts'
import { type Clock, realClock } from './runtime/clock.ts'
import { noPause, type Pause, pauseOnce, withPause } from './runtime/freeze.ts'
import { type Ids, randomIds } from './runtime/ids.ts'
import { asFastAsPossible, type ServerPace, seededTiming, type Timing } from './runtime/pace.ts'
import { type Runs, runRegistry } from './runtime/runs.ts'
import { seededBases } from './seed.ts'
import { memoryStore } from './store/memory-store.ts'
import type { Store } from './store/types.ts'

/** Every seam at which the behaviour of the server can be changed without touching a handler. */
export interface Services extends Encoding {
  readonly clock: Clock
  readonly ids: Ids
  readonly timing: Timing
  readonly model: Model
  readonly retrieve: Retrieval
  readonly store: Store
  readonly runs: Runs
  /** The keys that authentication goes by. */
  readonly keys: readonly string[]
  readonly authenticate: Authenticate
  readonly limit: RateLimit
  /** Waited for before an answer goes out, and before each piece of it. */
  readonly pause: Pause
  /** The v3 event sequence of a run, live and replayed. */
  readonly events: (run: ResponseRun) => Iterable<ResponseEvent>
  /** Each admitted request, before its schema reads it. */
  readonly incoming: (call: Call) => Call
  /** Each answer, refusals included, before it is written; the call as the client sent it. */
  readonly outgoing: (call: Call, reply: Reply) => Reply
}

/** Makes another server out of the parts of this one. */
export type Patch = (parts: Services) => Services

export interface ServiceOptions {
  readonly keys: readonly string[]
  readonly seed: number
  readonly pace?: ServerPace
  /** Of each key. Default: no limit. */
  readonly requestsPerMinute?: number
  readonly clock?: Clock
  readonly ids?: Ids
  readonly store?: Store
  readonly patch?: Patch
}

export function composeServices(options: ServiceOptions): Services {
  const { keys, seed, pace = asFastAsPossible, patch: refit = (parts) => parts } = options
  const clock = options.clock ?? realClock
  const standstill = pace.freeze === undefined ? noPause : pauseOnce(clock, pace.freeze)
  const plain: Services = {
    clock,
    ids: options.ids ?? randomIds,
    timing: seededTiming(seed, pace),
    model: fakeModel(seed),
    retrieve,
    store: options.store ?? memoryStore({ bases: seededBases() }),
    runs: runRegistry(),
    keys,
    authenticate: bearerAuthentication(keys),
    limit:
      options.requestsPerMinute === undefined
        ? withoutLimit
        : requestsPerMinute(options.requestsPerMinute),
    pause: standstill,
    events: responseEvents,
    incoming: (call) => call,
    outgoing: (_call, reply) => reply,
    encode: encodeBlock,
    bytes: (call, chunks) =>
      pace.freeze === undefined ? chunks : withPause(chunks, standstill, call.signal),
  }
  return refit(stampsOnRequest(plain))
}
