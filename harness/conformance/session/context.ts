import { performance } from 'node:perf_hooks'
import {
  type Exchange,
  type ExchangeLabels,
  type OperationId,
  storedPieces,
} from '../../../contract/index.ts'
import {
  createNetworkTransport,
  createRecordingTransport,
  createRedactor,
  type Outgoing,
  type Pending,
  RedactingWriter,
  type Redactor,
  StoredRecording,
  type Transport,
} from '../../client/index.ts'
import { deletedChat, journalWriter, type WriteJournal } from '../cleanup/journal.ts'
import { networkOf } from '../profile/index.ts'
import { appendExchange } from '../recording/result-files.ts'
import type { RunSetup } from '../run-setup.ts'
import { createRandomPicker } from './identities.ts'
import { anySignal, createGate, type Gate } from './limits/gate.ts'
import { acquireSlot, createSemaphore, type Priority, type Slot } from './limits/semaphore.ts'
import { createSupplements, type Members } from './requests/supplements.ts'
import { nextExchangeId } from './run-state.ts'
import { secretsOf } from './secrets.ts'

export interface SendOptions {
  /** True if `waitForBurst` took the slot of the request. */
  readonly inBurst?: boolean
}

/** Everything that the scenarios of one stage share; the state of the whole run is in the setup. */
export interface RunContext {
  readonly setup: RunSetup
  readonly redactor: Redactor
  readonly gate: Gate
  /** Waits for one of the slots of `--jobs`. */
  acquireSlot(priority: Priority): Promise<Slot>
  /**
   * Sends once, as soon as the gate lets the request through, and writes the exchange down. The exchange
   * has the next id: none is used up by a request that is not sent.
   * @throws NotSentError if it may not be sent; the reason of the signal if that ends the wait
   */
  send(outgoing: Omit<Outgoing, 'id'>, signal: AbortSignal, options?: SendOptions): Promise<Pending>
  /** Members that the target needs beyond those that the document requires. */
  readonly supplements: ReturnType<typeof createSupplements>
  /**
   * The members that a request carries from its first try on: those learned so far or, if a
   * recording answers, those that it carried when it was recorded.
   */
  suppliedAtFirst(operation: OperationId, place: RequestPlace): Members
  /** Writes down, before it is sent, what is about to be created, and what became of it. */
  readonly journal: WriteJournal
  /** Closes all connections; conversations under way are left. */
  close(): Promise<void>
}

export function createRunContext(setup: RunSetup): RunContext {
  const secrets = secretsOf(setup)
  const redactor = createRedactor(secrets)
  const writer = new RedactingWriter(secrets)
  const { transport, live, suppliedIn } = openSource(setup, redactor)
  const supplements = createSupplements(setup.profile, setup.state.learned)
  const loop = createLoopDelayMonitor()
  const gate = createGate(setup)
  const write = live ? journalWriter(setup.journalFile, secrets) : () => {}
  const journal: WriteJournal = (entry) => {
    gate.track(entry)
    write(entry)
  }
  const slots = createSemaphore(
    setup.jobs,
    setup.shuffle === null ? undefined : createRandomPicker(setup.shuffle),
  )

  function record(exchange: Exchange): void {
    appendExchange(writer, setup.exchangesFile, storedPieces(redactor.exchange(exchange)))
    const deletedId = deletedChat(exchange)
    if (deletedId !== undefined) journal({ event: 'deleted', kind: 'chat', id: deletedId })
  }

  return {
    setup,
    redactor,
    acquireSlot: (priority) => acquireSlot(slots, priority),
    gate,
    async send(outgoing, signal, { inBurst = false } = {}) {
      const deadline = await gate.enter(outgoing, signal, inBurst)
      const loopDelay = loop.begin()
      const pending = transport.send({
        ...outgoing,
        // What is recorded keeps its id, so what is missing needs another kind.
        id: nextExchangeId(setup.state, live ? 'x' : 'missing-'),
        ...(deadline && { signal: anySignal(outgoing.signal ?? deadline, deadline) }),
      })
      const exchange = pending.exchange.then((answer) => {
        const loopDelayMs = loopDelay()
        // No copy: it would decode the events of every stream, and keep them.
        const ended = live ? Object.assign(answer, { loopDelayMs }) : answer
        gate.leave(ended, outgoing)
        record(ended)
        return ended
      })
      return { answered: pending.answered, exchange }
    },
    supplements,
    suppliedAtFirst(operation, place) {
      const names = suppliedIn(place)
      return names === undefined
        ? supplements.learned(operation)
        : supplements.valuesOf(operation, names)
    },
    journal,
    close: () => transport.close(),
  }
}

const stepMs = 10

/**
 * Measures the delay of this thread's timers while something that it times is under way. Data that
 * arrived meanwhile was read that much later, together with the data after it.
 */
function createLoopDelayMonitor() {
  const open = new Set<{ latest: number }>()
  let timer: NodeJS.Timeout | undefined
  let due = 0

  function note(): void {
    const late = performance.now() - due
    for (const watch of open) watch.latest = Math.max(watch.latest, late)
  }

  function tick(): void {
    note()
    due = performance.now() + stepMs
    timer = setTimeout(tick, stepMs)
    timer.unref()
  }

  return {
    /** Begins to look; the result ends it and gives the longest delay, in milliseconds. */
    begin(): () => number {
      const watch = { latest: 0 }
      if (open.size === 0) {
        due = performance.now() + stepMs
        timer = setTimeout(tick, stepMs)
        timer.unref()
      }
      open.add(watch)
      return () => {
        note()
        open.delete(watch)
        if (open.size === 0) clearTimeout(timer)
        return Math.round(watch.latest)
      }
    },
  }
}

type RequestPlace = Pick<ExchangeLabels, 'scenario' | 'ordinal'>

/** Source of the answers of a run: the network, or a recording. */
interface ExchangeSource {
  readonly transport: Transport
  /** False for a recording. */
  readonly live: boolean
  /** Names of the members that a recorded first try carried; undefined if no recording has it. */
  suppliedIn(place: RequestPlace): readonly string[] | undefined
}

function openSource(setup: RunSetup, redactor: Redactor): ExchangeSource {
  const { profile, recordingFile } = setup
  if (recordingFile === null) {
    const transport = createNetworkTransport(networkOf(profile), profile.limits)
    return { transport, live: true, suppliedIn: () => undefined }
  }
  const recorded = new StoredRecording(recordingFile)
  const supplied = new Map(suppliedAtFirst(recorded))
  return {
    transport: createRecordingTransport(recorded, redactor.request),
    live: false,
    suppliedIn: (place) => supplied.get(placeKey(place)),
  }
}

/** The members that first tries carried beside what their scenario wrote. */
function* suppliedAtFirst(recorded: StoredRecording): Generator<[string, readonly string[]]> {
  for (const { labels } of recorded.values()) {
    if (labels.attempt === 0) yield [placeKey(labels), labels.supplied ?? []]
  }
}

function placeKey({ scenario, ordinal }: RequestPlace): string {
  return JSON.stringify([scenario, ordinal])
}
