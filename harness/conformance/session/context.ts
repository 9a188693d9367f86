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
  RedactingWriter,
  StoredRecording,
} from '../../client/index.ts'
import { deletedChat, journalWriter, type WriteJournal } from '../cleanup/journal.ts'
import { networkOf } from '../profile/index.ts'
import { storeEvidence } from '../recording/result-files.ts'
import { isEndless, type RunSetup } from '../run-setup.ts'
import { createRandomPicker } from './identities.ts'
import { isRefusal } from './limits/circuit-breaker.ts'
import { anySignal, createGate } from './limits/gate.ts'
import { createSemaphore, longFirst, type Priority } from './limits/semaphore.ts'
import { knownMembers, type Members } from './requests/supplements.ts'
import { nextExchangeId } from './run-state.ts'
import { secretsOf } from './secrets.ts'

/** State that the scenarios of one stage share; the state of the whole run is in the setup. */
export type RunContext = ReturnType<typeof createRunContext>

/** The next scenario: one at random, the first if a budget may run out, or else the first of those that take long. */
function orderOf(setup: RunSetup) {
  const { shuffle } = setup
  const pick = shuffle === null ? () => 0 : createRandomPicker(shuffle)
  return shuffle === null && isEndless(setup)
    ? longFirst
    : (waiting: readonly Priority[]) => pick(waiting.length)
}

export function createRunContext(setup: RunSetup) {
  const secrets = secretsOf(setup)
  const redactor = createRedactor(secrets)
  const writer = new RedactingWriter(secrets)
  const { profile, recordingFile: file } = setup
  const recording =
    file === null
      ? undefined
      : createRecordingTransport(new StoredRecording(file), redactor.request)
  const live = recording === undefined
  const transport = recording ?? createNetworkTransport(networkOf(profile), profile.limits)
  const loop = createLoopDelayMonitor()
  const gate = createGate(setup)
  const write = live ? journalWriter(setup.journalFile, secrets) : () => {}
  const journal: WriteJournal = (entry) => {
    gate.track(entry)
    keep(() => write(entry))
  }
  const slots = createSemaphore(setup.jobs, orderOf(setup))

  /** Set once evidence was lost: no verdict can follow, so nothing but cleanup is sent. */
  let lost: unknown

  function keep(append: () => void): void {
    try {
      append()
    } catch (error) {
      lost ??= error
      throw error
    }
  }

  function record(exchange: Exchange): void {
    const pieces = storedPieces(redactor.exchange(exchange))
    keep(() => storeEvidence(() => writer.appendPieces(setup.exchangesFile, pieces)))
    const deletedId = deletedChat(exchange)
    if (deletedId !== undefined) journal({ event: 'deleted', kind: 'chat', id: deletedId })
  }

  return {
    setup,
    redactor,
    /** Waits for one of the slots of `--jobs`. */
    acquireSlot: slots.acquire,
    gate,
    /**
     * Sends once, as soon as the gate admits the request, and records the exchange. The exchange has the next
     * id: a request that is not sent uses none.
     * @param inBurst `waitForBurst` took the slot of the request
     * @throws NotSentError if it may not be sent; the reason of the signal if that ends the wait
     */
    async send(outgoing: Omit<Outgoing, 'id'>, signal: AbortSignal, inBurst: boolean) {
      if (lost !== undefined && outgoing.labels.role !== 'cleanup') throw lost
      const deadline = await gate.enter(outgoing, signal, inBurst)
      const loopDelay = loop.begin()
      const pending = transport.send({
        ...outgoing,
        // Recorded exchanges keep their ids, so missing ones get another prefix.
        id: nextExchangeId(setup.state, live ? 'x' : 'missing-'),
        ...(deadline && { signal: anySignal(outgoing.signal ?? deadline, deadline) }),
      })
      const exchange = pending.exchange.then((answer) => {
        const loopDelayMs = loopDelay()
        // Not a copy, which would decode and keep the events of every stream.
        const ended = live ? Object.assign(answer, { loopDelayMs }) : answer
        gate.leave(ended)
        record(ended)
        return ended
      })
      return { answered: pending.answered, exchange }
    },
    /** Tests if a response refuses what was accepted before, and must be sent again. */
    isContradiction(exchange: Exchange): boolean {
      if (recording === undefined) return gate.contradicts(exchange)
      return isRefusal(exchange) && recording.wasRepeated(exchange)
    },
    /** Routes with a status whose page came again after a pause: its next repeats need none. */
    lastingPages: new Set<string>(),
    /**
     * The fields added to a request from its first try on: those learned so far or, with a recording, those
     * that were added when it was recorded.
     */
    suppliedAtFirst(
      operation: OperationId,
      place: Pick<ExchangeLabels, 'scenario' | 'ordinal'>,
    ): Members {
      const names = recording?.suppliedIn(place)
      return names === undefined
        ? (setup.state.learned.get(operation) ?? {})
        : knownMembers(operation, profile, (name) => names.includes(name))
    },
    /** Records in the journal what is about to be created, and the result. */
    journal,
    /** Closes all connections; conversations under way are aborted. */
    close: () => transport.close(),
  }
}

const stepMs = 10

/**
 * Measures the delay of this thread's timers while at least one exchange is open. Data that arrived meanwhile
 * was read with this delay, together with later data.
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
    /** Starts a measurement; the result ends it and returns the longest delay, in milliseconds. */
    begin(): () => number {
      const watch = { latest: 0 }
      if (open.size === 0) tick()
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
