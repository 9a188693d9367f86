/** Entry point of a worker thread: prepares chats, waits for the start command, runs its part of the plan and reports records. */
import { setMaxListeners } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { createRedactor } from '../../client/redaction/redaction.ts'
import { RunClock } from '../clock.ts'
import { ClockProbe } from '../generator/clock-probe.ts'
import { ThreadUsageMeter } from '../generator/thread-usage.ts'
import { negotiateChannelPool } from '../http/negotiate.ts'
import { routeOf } from '../http/route.ts'
import { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import { ChatPool } from '../setup/chat-pool.ts'
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
    const { target, spec, part, needs, drainNs, maxInFlight } = setup
    const redact = createRedactor(target.secrets).text
    const route = routeOf(target.baseUrl, target.network)
    const createChannelPool = await negotiateChannelPool(route, interruption.signal)
    const setupChannels = createChannelPool(new RunClock(process.hrtime.bigint()), true)
    const chats = new ChatPool(setupChannels, target, String(part.index))
    const warnings = (): Warnings =>
      [...chats.warnings].map(([text, count]) => [redact(text), count])
    await chats.prepare(needs, interruption.signal)
    if (chats.failure !== undefined) {
      await chats.close(cleanupTimeoutMs)
      setupChannels.close()
      const preparationFailure = redact(chats.failure)
      post({ type: 'exited', chatsLeft: chats.remaining, preparationFailure })
      return
    }
    post({ type: 'ready', warnings: warnings() })

    const clock = new RunClock(await startSignal.promise)
    const channels = createChannelPool(clock, setup.keepAlive, setup.maxConnections)
    const integrity = new IntegrityRecorder(redact)
    const context = new WorkerContext({ clock, target, channels, chats, integrity })
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
      connectionsOpened: channels.opened,
      httpVersion: channels.httpVersion,
      http2: channels.http2,
      usage,
      timestampError,
    })
    channels.close()
    await chats.close(cleanupTimeoutMs)
    setupChannels.close()
    post({ type: 'exited', chatsLeft: chats.remaining, warnings: warnings() })
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
