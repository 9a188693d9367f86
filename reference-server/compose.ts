/** Composition root: the services of a plain server, then the patch. */
import { decodeByEngine } from './engine/decode.ts'
import type { EngineOptions } from './engine/engine.ts'
import { encodeBlock, responseEvents } from './events/sequence.ts'
import {
  bearerAuthentication,
  nameByKey,
  nameByPosition,
  requestsPerMinute,
  withoutLimit,
} from './http/admission.ts'
import { fakeModel } from './model/fake-model.ts'
import type { AnswerScript, ScriptEntry } from './model/script/answer-script.ts'
import { recordedModel } from './model/script/recording.ts'
import { replaceableScript } from './model/script/scripted-model.ts'
import type { Model } from './model/types.ts'
import { retrieve } from './retrieval/retrieval.ts'
import { type Clock, realClock } from './runtime/clock.ts'
import { decodeOnTime } from './runtime/decoding.ts'
import { asFastAsPossible, pauseOnce, type ServerPace, seededTiming } from './runtime/pace.ts'
import { type Ids, randomIds } from './runtime/random.ts'
import { runRegistry } from './runtime/runs.ts'
import type { Patch, Services } from './services.ts'
import { waitingIdempotency } from './store/sql/ledger.ts'
import type { Store } from './store/sql/store.ts'

export interface ServiceOptions {
  readonly keys: readonly string[]
  readonly seed: number
  readonly pace?: ServerPace
  /** Engine that all answers share and that sets their pace; without it, each answer has its own pace. */
  readonly engine?: EngineOptions
  /** The current script, whose answers replace those of the fake model. */
  readonly script?: () => AnswerScript | undefined
  /** Receives text in a prompt that looks like a directive but is not one. */
  readonly onMistypedDirective?: (directive: string) => void
  /** Receives an entry for each new answer; a script of these entries reproduces the answers. */
  readonly onAnswer?: (entry: ScriptEntry) => void
  /** Rate limit per key. Default: none. */
  readonly requestsPerMinute?: number
  readonly clock?: Clock
  readonly ids?: Ids
  readonly store: Store
  /**
   * Response to a repeat while the first request with its Idempotency-Key runs: 409 (default), or the response
   * to the first request once it is available.
   */
  readonly runningRepeat?: '409' | 'wait'
  readonly patch?: Patch
}

export function composeServices(options: ServiceOptions): Services {
  const { keys, seed, store, pace = asFastAsPossible, patch = (services) => services } = options
  const clock = options.clock ?? realClock
  return patch({
    clock,
    ids: options.ids ?? randomIds,
    timing: seededTiming(seed, pace),
    decode:
      options.engine === undefined ? decodeOnTime(clock) : decodeByEngine(options.engine, clock),
    model: answeringModel(options),
    retrieve,
    store:
      options.runningRepeat === 'wait'
        ? { ...store, idempotency: waitingIdempotency(store.idempotency, clock) }
        : store,
    runs: runRegistry(),
    keys,
    authenticate: bearerAuthentication(keys, store.durable ? nameByKey : nameByPosition),
    limit:
      options.requestsPerMinute === undefined
        ? withoutLimit
        : requestsPerMinute(options.requestsPerMinute),
    pause: pace.freeze && pauseOnce(clock, pace.freeze),
    events: responseEvents,
    incoming: (call) => call,
    outgoing: (_call, reply) => reply,
    encode: encodeBlock,
    bytes: (_call, chunks) => chunks,
  })
}

function answeringModel({ seed, script, onAnswer, onMistypedDirective }: ServiceOptions): Model {
  const fake = fakeModel(seed, onMistypedDirective)
  const model = script === undefined ? fake : replaceableScript(script, fake, seed)
  return onAnswer === undefined ? model : recordedModel(model, onAnswer)
}
