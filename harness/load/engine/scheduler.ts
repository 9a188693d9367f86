import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sleep } from '../clock.ts'
import { type Arrival, arrivals, isOwnArrival, shareOf } from '../plan/plan.ts'
import { transactions } from '../transactions/transactions.ts'
import { TransactionRunner } from './transaction-runner.ts'
import { RunEndedError, type WorkerContext } from './worker-context.ts'
import type { WorkerSetup } from './worker-thread.ts'

type SchedulerOptions = Pick<WorkerSetup, 'spec' | 'part' | 'drainNs' | 'maxInFlight'>
/** Runs one transaction; never rejects. */
type Start = (arrival: Arrival, dueNs: number) => Promise<void>

/** Clients of a closed loop that start in one turn of the event loop, so that reads are timestamped in between. */
const startBatchSize = 10
/** Interval at which the drain checks for its end. */
const drainCheckNs = 20e6
/** Interval of the check for timed-out requests. */
const timeoutCheckMs = 250

/**
 * Runs the transactions of one worker at their planned times; the open loop never waits for an answer. Resolves
 * when every request has settled, at the latest after the drain.
 * @param onError is called with each internal error of a transaction
 */
export async function runPlan(
  options: SchedulerOptions,
  context: WorkerContext,
  onError: (error: unknown) => void,
): Promise<void> {
  const { spec, drainNs, maxInFlight } = options
  const { clock, signal } = context
  setMaxListeners(0, signal)
  const timeoutCheck = setInterval(() => timeOutSilent(context), timeoutCheckMs)
  timeoutCheck.unref()
  let running = 0
  const start: Start = async (arrival, dueNs) => {
    const entry = spec.mix.entries[arrival.entry]
    if (entry === undefined) return
    if (running >= maxInFlight) {
      context.dropped.push([dueNs, entry.name])
      return
    }
    running += 1
    try {
      await transactions[entry.kind](new TransactionRunner(context, arrival, entry, dueNs))
    } catch (error) {
      if (!(error instanceof RunEndedError)) onError(error)
    } finally {
      running -= 1
    }
  }
  // All arrivals are due before the end, but an end timer might fire before that of the last one.
  if (spec.arrival.kind !== 'closed') await openLoop(options, context, start)
  else {
    const clients = shareOf(spec.arrival.concurrency, options.part)
    await Promise.race([
      closedLoop(options, context, clients, start),
      sleepUntil(context, spec.durationNs),
    ])
  }
  await sleepUntil(context, spec.durationNs)
  context.isClosed = true
  while (running > 0 && !signal.aborted && clock.now() < spec.durationNs + drainNs) {
    await sleepUntil(context, clock.now() + drainCheckNs)
  }
  clearInterval(timeoutCheck)
  const at = clock.now()
  for (const request of context.inFlight) request.endRun(at)
}

async function openLoop(options: SchedulerOptions, context: WorkerContext, start: Start) {
  for (const arrival of ownArrivals(options)) {
    const { plannedNs } = arrival
    if (plannedNs === null) return
    if (plannedNs > context.clock.now()) await sleepUntil(context, plannedNs)
    if (context.signal.aborted) return
    void start(arrival, plannedNs)
  }
}

async function closedLoop(
  options: SchedulerOptions,
  context: WorkerContext,
  clients: number,
  start: Start,
): Promise<void> {
  const { clock, signal } = context
  const own = ownArrivals(options)
  const client = async () => {
    while (!signal.aborted && clock.now() < options.spec.durationNs) {
      const { value } = own.next()
      if (value === undefined) return
      await start(value, Math.max(0, clock.now()))
    }
  }
  await sleepUntil(context, 0)
  const all: Promise<void>[] = []
  for (let index = 0; index < clients; index += 1) {
    all.push(client())
    if (index % startBatchSize === startBatchSize - 1) await nextTurn()
  }
  await Promise.all(all)
}

function* ownArrivals({ spec, part }: SchedulerOptions): Generator<Arrival, void> {
  for (const arrival of arrivals(spec)) if (isOwnArrival(arrival, part)) yield arrival
}

/** Timers of the runtime have a resolution of 1 ms; their delay is part of every response time. */
async function sleepUntil({ clock, signal }: WorkerContext, ns: number): Promise<void> {
  for (let wait = ns - clock.now(); wait > 0 && !signal.aborted; wait = ns - clock.now()) {
    await sleep(Math.ceil(wait / 1e6), signal)
  }
}

function timeOutSilent({ clock, target, inFlight }: WorkerContext): void {
  const at = clock.now()
  const oldest = at - target.timeoutMs * 1e6
  for (const request of inFlight) if (request.record.lastActivity < oldest) request.timeout(at)
}
