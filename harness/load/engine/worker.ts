/** Entry point of a worker thread: prepares chats, waits for the start command, runs its part of the plan and reports records. */
import { setMaxListeners } from 'node:events'
import { parentPort } from 'node:worker_threads'
import { createRedactor } from '../../client/redaction/redaction.ts'
import { RunClock } from '../clock.ts'
import { measureThread, startClockProbe } from '../generator/generator-monitor.ts'
import { http2Of } from '../http/channel.ts'
import { workerConnections } from '../http/worker-connections.ts'
import { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import { noncePrefix } from '../plan/plan.ts'
import { chatPool } from '../setup/chat-pool.ts'
import type { LoadEndpoint } from '../target.ts'
import { runPlan } from './scheduler.ts'
import { workerContext } from './worker-context.ts'
import type { WorkerCommand, WorkerMessage, WorkerSetup } from './worker-thread.ts'

const port = parentPort
const reportIntervalMs = 100
const cleanupTimeoutMs = 10_000

if (port !== null) {
  const post = (message: WorkerMessage) => port.postMessage(message)
  const interruption = new AbortController()
  const startSignal = Promise.withResolvers<bigint>()
  setMaxListeners(0, interruption.signal)
  port.on('message', (command: WorkerCommand) => {
    if (command.type === 'prepare') {
      run(command.setup).catch((error: unknown) => {
        post({ type: 'error', message: describe(error) })
        post({ type: 'exited' })
      })
    } else if (command.type === 'start') startSignal.resolve(command.startNs)
    else interruption.abort()
  })

  async function run(setup: WorkerSetup): Promise<void> {
    const { target, spec, part, passages, needs, drainNs, maxInFlight } = setup
    const redact = createRedactor(target.secrets).text
    const connections = await workerConnections(setup, interruption.signal)
    const chats = chatPool(target, String(part.index))
    const setupClock = new RunClock(process.hrtime.bigint())
    const exit = async (preparationFailure?: string) => {
      const chatsLeft = await chats.close(connections.open(setupClock, true), cleanupTimeoutMs)
      await connections.close()
      const warnings = chats.warnings()
      post({
        type: 'exited',
        chatsLeft,
        warnings: warnings.map(({ text, ...counts }) => ({ ...counts, text: redact(text) })),
        connectionsOpened: connections.opened(),
        ...(preparationFailure === undefined ? {} : { preparationFailure }),
      })
    }
    const phase = connections.open(setupClock, true)
    const failure = await chats.prepare(phase, needs, interruption.signal)
    await connections.close()
    if (failure !== undefined) return exit(redact(failure))
    post({ type: 'ready' })

    const clock = new RunClock(await startSignal.promise)
    const endpoints = connections.open(clock, setup.keepAlive)
    const integrity = new IntegrityRecorder(redact)
    const context = workerContext({
      ...{ clock, target, endpoints, chats, integrity, passages },
      noncePrefix: noncePrefix(spec.seed),
      signal: interruption.signal,
    })
    const endClockProbe = startClockProbe(setup.clockProbePort)
    const endUsage = measureThread()
    const report = () =>
      post({
        type: 'records',
        records: context.records.splice(0),
        ids: integrity.drainIds(),
        dropped: context.dropped.splice(0),
        inFlight: context.inFlight.size,
      })
    const reportTimer = setInterval(report, reportIntervalMs)
    await runPlan({ spec, part, drainNs, maxInFlight }, context, (error) =>
      post({ type: 'error', message: describe(error) }),
    )
    const usage = endUsage()
    const timestampError = endClockProbe()
    clearInterval(reportTimer)
    report()
    post({
      type: 'done',
      integrity: integrity.counts,
      ...httpFigures(endpoints),
      usage,
      timestampError,
    })
    await connections.close()
    await exit()
  }
}

function httpFigures(endpoints: readonly LoadEndpoint[]) {
  const pools = endpoints.map(({ channels }) => channels)
  const { http2 } = http2Of(pools.flatMap((pool) => pool.http2 ?? []))
  return {
    httpVersion: pools.some(({ httpVersion }) => httpVersion === 'http2') ? 'http2' : 'http1',
    http2: http2 ?? null,
  } as const
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
