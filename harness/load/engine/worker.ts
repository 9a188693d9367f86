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

/** The thread of a worker: prepares, waits for the word, drives its part of the plan, and tells. */

const port = parentPort
const setup = workerData as WorkerSetup
const tellEveryMs = 100
const tidyMs = 10_000

if (port !== null) {
  const tell = (message: WorkerMessage) => port.postMessage(message)
  const interruption = new AbortController()
  const started = Promise.withResolvers<bigint>()
  setMaxListeners(0, interruption.signal)
  let driver: Scheduler | undefined
  port.on('message', (message: WorkerCommand) => {
    if (message.type === 'start') started.resolve(message.startNs)
    else {
      interruption.abort()
      driver?.stop()
    }
  })
  work(tell).catch((error: unknown) => {
    tell({ type: 'fault', message: describe(error) })
    tell({ type: 'gone' })
  })

  async function work(tell: (message: WorkerMessage) => void): Promise<void> {
    const { target, spec, part, needs } = setup
    const redact = createRedactor(target.secrets).text
    const troubles = (): Warnings =>
      [...chats.warnings].map(([what, count]) => [redact(what), count])
    const route = routeOf(target.baseUrl, target.network)
    const openChannels = await negotiateChannelPool(route, interruption.signal)
    const preparing = openChannels(new RunClock(process.hrtime.bigint()), true)
    const chats = new ChatPool(preparing, target, String(part.index))
    await chats.prepare(needs, interruption.signal)
    if (chats.failure !== undefined) {
      await chats.close(tidyMs)
      preparing.close()
      tell({ type: 'gone', chatsLeft: chats.remaining, preparationFailure: redact(chats.failure) })
      return
    }
    tell({ type: 'ready', troubles: troubles() })

    const clock = new RunClock(await started.promise)
    const channels = openChannels(clock, setup.keepAlive, setup.maxConnections)
    const integrity = new IntegrityRecorder(redact)
    const crew = new WorkerContext({ clock, target, channels, chats, integrity })
    const canary = setup.clockProbePort === null ? undefined : new ClockProbe(setup.clockProbePort)
    const usage = new ThreadUsageMeter()
    const report = () => {
      const records = crew.drainRecords()
      const ids = integrity.drainIds()
      const notDispatched = crew.drainDropped()
      tell({ type: 'records', records, ids, dropped: notDispatched, inFlight: crew.inFlight })
    }
    const telling = setInterval(report, tellEveryMs)
    const { drainNs, maxInFlight } = setup
    driver = new Scheduler({ spec, part, drainNs, maxInFlight }, crew, (error) =>
      tell({ type: 'fault', message: describe(error) }),
    )
    if (interruption.signal.aborted) driver.stop()
    await driver.run()
    const spent = usage.end()
    const timestampError = canary?.end() ?? null
    clearInterval(telling)
    report()
    tell({
      type: 'done',
      integrity: integrity.counts,
      connectionsOpened: channels.opened,
      httpVersion: channels.httpVersion,
      http2: channels.http2,
      usage: spent,
      timestampError,
    })
    channels.close()
    await chats.close(tidyMs)
    preparing.close()
    tell({ type: 'gone', chatsLeft: chats.remaining, troubles: troubles() })
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
