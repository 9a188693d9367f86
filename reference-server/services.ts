/** The services that handlers receive. Each can be replaced without changes of handlers. */
import type { ResponseRun } from './events/run.ts'
import type { ResponseEvent } from './events/sequence.ts'
import type { Authenticate, RateLimit } from './http/admission.ts'
import type { Call, Reply } from './http/call.ts'
import type { Encoding } from './http/writer.ts'
import type { Model } from './model/types.ts'
import type { Retrieval } from './retrieval/retrieval.ts'
import type { Clock } from './runtime/clock.ts'
import type { Decode } from './runtime/decoding.ts'
import type { Timing } from './runtime/pace.ts'
import type { Ids } from './runtime/random.ts'
import type { Runs } from './runtime/runs.ts'
import type { Store } from './store/sql/store.ts'

export interface Services extends Encoding {
  readonly clock: Clock
  readonly ids: Ids
  readonly timing: Timing
  /** Waits for the tokens of an answer. */
  readonly decode: Decode
  readonly model: Model
  readonly retrieve: Retrieval
  readonly store: Store
  readonly runs: Runs
  readonly keys: readonly string[]
  readonly authenticate: Authenticate
  readonly limit: RateLimit
  /** The v3 event sequence of a run, live and replayed. */
  readonly events: (run: ResponseRun) => Iterable<ResponseEvent>
  /** Each admitted request, before its schema reads it. */
  readonly incoming: (call: Call) => Call
  /** Each answer, refusals included, before it is written; the call as the client sent it. */
  readonly outgoing: (call: Call, reply: Reply) => Reply
}

/** Replaces services of a server; faults and dialects are patches. */
export type Patch = (services: Services) => Services
