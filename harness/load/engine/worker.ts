/** Entry point of a worker thread: prepares chats, waits for the start command, runs its part of the plan and reports records. */
import { setMaxListeners } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { createRedactor } from '../../client/redaction/redaction.ts'
import { RunClock } from '../clock.ts'
import { endpointTargets, type LoadEndpoint } from '../endpoints.ts'
import { ClockProbe } from '../generator/clock-probe.ts'
import { ThreadUsageMeter } from '../generator/thread-usage.ts'
import { http2Of } from '../http/http2/merge-figures.ts'
import { type CreateChannelPool, negotiateChannelPool } from '../http/negotiate.ts'
import { routeOf } from '../http/route.ts'
import { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import { ChatPool } from '../setup/chat-pool.ts'
import type { LoadTarget } from '../target.ts'
import type { Warnings, WorkerCommand, WorkerMessage, WorkerSetup } from './messages.ts'
import { Scheduler } from './scheduler.ts'
import { WorkerContext } from './worker-context.ts'

const port = parentPort
const setup = workerData as WorkerSetup
const reportIntervalMs = 100
const cleanupTimeoutMs = 10_000

if (port !== null) {
  const post = (message: WorkerMessage) => port.postMessage(message)
  const interruption = new AbortController()
  const startSignal = Promise.withResolvers<bigint>()
  setMaxListeners(0, interruption.signal)
  let scheduler: Scheduler | undefined
  port.on('message', (command: WorkerCommand) => {
    if (command.type === 'start') startSignal.resolve(command.startNs)
    else {
      interruption.abort()
      scheduler?.stop()
    }
  })
  run().catch((error: unknown) => {
    post({ type: 'error', message: describe(error) })
    post({ type: 'exited' })
  })

  async function run(): Promise<void> {
    const { target, spec, part, passages, needs, drainNs, maxInFlight } = setup
    const redact = createRedactor(target.secrets).text
    const openings = await openingsOf(target, interruption.signal)
    const setupClock = new RunClock(process.hrtime.bigint())
    const setupEndpoints = opened(openings, setupClock, true)
    const chats = new ChatPool(setupEndpoints, target, String(part.index))
    const warnings = (): Warnings =>
      [...chats.warnings].map(([text, count]) => [redact(text), count])
    await chats.prepare(needs, interruption.signal)
    if (chats.failure !== undefined) {
      await chats.close(cleanupTimeoutMs)
      closeAll(setupEndpoints)
      const preparationFailure = redact(chats.failure)
      post({ type: 'exited', chatsLeft: chats.remaining, preparationFailure })
      return
    }
    post({ type: 'ready', warnings: warnings() })

    const clock = new RunClock(await startSignal.promise)
    const { keepAlive, maxConnections } = setup
    const endpoints = opened(
      openings,
      clock,
      keepAlive,
      maxConnections && Math.ceil(maxConnections / openings.length),
    )
    const integrity = new IntegrityRecorder(redact)
    const context = new WorkerContext({ clock, target, endpoints, chats, integrity, passages })
    const clockProbe =
      setup.clockProbePort === null ? undefined : new ClockProbe(setup.clockProbePort)
    const usageMeter = new ThreadUsageMeter()
    const report = () =>
      post({
        type: 'records',
        records: context.drainRecords(),
        ids: integrity.drainIds(),
        dropped: context.drainDropped(),
        inFlight: context.inFlight,
      })
    const reportTimer = setInterval(report, reportIntervalMs)
    scheduler = new Scheduler({ spec, part, drainNs, maxInFlight }, context, (error) =>
      post({ type: 'error', message: describe(error) }),
    )
    if (interruption.signal.aborted) scheduler.stop()
    await scheduler.run()
    const usage = usageMeter.end()
    const timestampError = clockProbe?.end() ?? null
    clearInterval(reportTimer)
    report()
    post({
      type: 'done',
      integrity: integrity.counts,
      ...connectionFigures(endpoints),
      usage,
      timestampError,
    })
    closeAll(endpoints)
    await chats.close(cleanupTimeoutMs)
    closeAll(setupEndpoints)
    post({ type: 'exited', chatsLeft: chats.remaining, warnings: warnings() })
  }
}

interface Opening {
  readonly target: LoadTarget
  readonly open: CreateChannelPool
}

/** Agrees with each endpoint on a version of HTTP. */
function openingsOf(target: LoadTarget, signal: AbortSignal): Promise<readonly Opening[]> {
  return Promise.all(
    endpointTargets(target).map(async (endpoint) => ({
      target: endpoint,
      open: await negotiateChannelPool(routeOf(endpoint.baseUrl, endpoint.network), signal),
    })),
  )
}

function opened(
  openings: readonly Opening[],
  ...options: Parameters<CreateChannelPool>
): readonly LoadEndpoint[] {
  return openings.map(({ target, open }) => ({ target, channels: open(...options) }))
}

function closeAll(endpoints: readonly LoadEndpoint[]): void {
  for (const { channels } of endpoints) channels.close()
}

function connectionFigures(endpoints: readonly LoadEndpoint[]) {
  const pools = endpoints.map(({ channels }) => channels)
  const { http2 } = http2Of(pools.flatMap((pool) => pool.http2 ?? []))
  return {
    connectionsOpened: pools.reduce((sum, { opened }) => sum + opened, 0),
    httpVersion: pools.some(({ httpVersion }) => httpVersion === 'http2') ? 'http2' : 'http1',
    http2: http2 ?? null,
  } as const
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
