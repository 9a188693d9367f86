import { setMaxListeners } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { createRedactor } from '../../client/redaction/redaction.ts'
import { Canary } from '../calibration/canary.ts'
import { agreeOnVersion } from '../http/open-channels.ts'
import { IntegrityLedger } from '../judging/integrity-ledger.ts'
import { Chats } from '../setup/chats.ts'
import { routeOf } from '../setup/route.ts'
import { RunClock } from './clock.ts'
import { Crew } from './crew.ts'
import { Driver } from './driver.ts'
import type { FromWorker, ToWorker, Troubles, WorkerSetup } from './messages.ts'
import { Usage } from './usage.ts'

/** The thread of a worker: prepares, waits for the word, drives its part of the plan, and tells. */

const port = parentPort
const setup = workerData as WorkerSetup
const tellEveryMs = 100
const tidyMs = 10_000

if (port !== null) {
  const tell = (message: FromWorker) => port.postMessage(message)
  const interruption = new AbortController()
  const started = Promise.withResolvers<bigint>()
  setMaxListeners(0, interruption.signal)
  let driver: Driver | undefined
  port.on('message', (message: ToWorker) => {
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

  async function work(tell: (message: FromWorker) => void): Promise<void> {
    const { target, spec, part, needs } = setup
    const redact = createRedactor(target.secrets).text
    const troubles = (): Troubles =>
      [...chats.troubles].map(([what, count]) => [redact(what), count])
    const route = routeOf(target.baseUrl, target.network)
    const openChannels = await agreeOnVersion(route, interruption.signal)
    const preparing = openChannels(new RunClock(process.hrtime.bigint()), true)
    const chats = new Chats(preparing, target, String(part.index))
    await chats.prepare(needs, interruption.signal)
    if (chats.failure !== undefined) {
      await chats.close(tidyMs)
      preparing.close()
      tell({ type: 'gone', left: chats.left, unprepared: redact(chats.failure) })
      return
    }
    tell({ type: 'ready', troubles: troubles() })

    const clock = new RunClock(await started.promise)
    const channels = openChannels(clock, setup.keepAlive, setup.mostConnections)
    const ledger = new IntegrityLedger(redact)
    const crew = new Crew({ clock, target, channels, chats, ledger })
    const canary = setup.canaryPort === null ? undefined : new Canary(setup.canaryPort)
    const usage = new Usage()
    const report = () => {
      const records = crew.takeRecords()
      const ids = ledger.takeIds()
      const notDispatched = crew.takeNotDispatched()
      tell({ type: 'records', records, ids, notDispatched, inFlight: crew.inFlight })
    }
    const telling = setInterval(report, tellEveryMs)
    const { drainNs, mostInFlight } = setup
    driver = new Driver({ spec, part, drainNs, mostInFlight }, crew, (error) =>
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
      integrity: ledger.counts,
      connectionsOpened: channels.opened,
      httpVersion: channels.httpVersion,
      http2: channels.http2,
      usage: spent,
      timestampError,
    })
    channels.close()
    await chats.close(tidyMs)
    preparing.close()
    tell({ type: 'gone', left: chats.left, troubles: troubles() })
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
