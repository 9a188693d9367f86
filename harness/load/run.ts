import { setMaxListeners } from 'node:events'
import type { LoadReport } from '../../contract/report/load/report.ts'
import { type Passage, writePassages } from '../../fixtures/content/passages.ts'
import { createRedactor } from '../client/redaction/redaction.ts'
import { shareOf, sleep } from './concurrency.ts'
import type { WorkerSetup } from './engine/messages.ts'
import { runWorkers, startLeadMs } from './engine/worker-pool.ts'
import { startClockProbeServer } from './generator/clock-probe.ts'
import { RunRecorder } from './metrics/run-recorder.ts'
import type { LoadOptions, LoadProgress } from './options.ts'
import { partSize } from './plan/needs.ts'
import { partOfWorker, wholePlan } from './plan/plan.ts'
import { buildReport } from './report/build-report.ts'
import { RequestsFile } from './requests-file.ts'
import { type ClockOffset, targetClock } from './target-clock/target-clock.ts'

export { PreparationError } from './engine/worker-pool.ts'
export type { LoadOptions, LoadProgress } from './options.ts'

/**
 * One load run, from its plan to its report.
 * @throws PreparationError where the target does not answer while the chats of the run are made.
 */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { spec, workers, slos, signal, onProgress, onRecord, requestsFile } = options
  const durationMs = spec.durationNs / 1e6
  const stats = new RunRecorder(spec, slos, workers)
  const redact = createRedactor(options.target.secrets).text
  const requests = requestsFile === undefined ? null : new RequestsFile(requestsFile, redact)
  let startNs: bigint | undefined
  let startedAt = new Date()
  let lateMs = 0
  /** Time and CPU at the last answer; what follows is cleanup. */
  let lastedMs = 0
  let cpuStart = process.cpuUsage()
  let cpuMs = 0
  let clock: ClockOffset | null | undefined
  setMaxListeners(0, signal)

  const elapsedMs = () =>
    startNs === undefined ? 0 : Number(process.hrtime.bigint() - startNs) / 1e6
  const report = (phase: LoadProgress['phase']) =>
    onProgress({ phase, elapsedMs: elapsedMs(), durationMs, stats: stats })
  report('preparing')
  const passages = await writePassages(spec.seed)
  const probeServer = await startClockProbeServer()
  const outcome = await runWorkers(setupsOf(options, passages, probeServer.port), {
    signal,
    whenReady: async () => {
      report('waiting')
      if (options.startAt === null) return
      const untilStart = () => (options.startAt?.getTime() ?? 0) - startLeadMs - Date.now()
      if (untilStart() > clockMs) clock = await targetClock(options.target, signal)
      const wait = untilStart()
      if (wait > 0) await sleep(wait, signal)
      else lateMs = -wait
    },
    onStart: (start) => {
      startNs = start
      startedAt = new Date()
      cpuStart = process.cpuUsage()
    },
    onRecords: (worker, message) => {
      lastedMs = elapsedMs()
      const { user, system } = process.cpuUsage(cpuStart)
      cpuMs = (user + system) / 1000
      stats.add(worker, message)
      requests?.add(message.records)
      if (onRecord !== undefined) for (const record of message.records) onRecord(record)
      report(elapsedMs() < durationMs ? 'running' : 'draining')
    },
  }).finally(() => {
    probeServer.close()
    requests?.close()
  })
  // With too little time before the start, the clock is measured after the end.
  if (clock === undefined && options.shard !== null && !signal.aborted) {
    clock = await targetClock(options.target, signal)
  }
  const notes = requests?.problem === undefined ? [] : [requests.problem]
  return buildReport(options, { stats, outcome, startedAt, lateMs, lastedMs, cpuMs, clock, notes })
}

/** Time that measuring the clock of the target takes at most, if it answers at once. */
const clockMs = 6000

function setupsOf(
  options: LoadOptions,
  passages: readonly Passage[],
  clockProbePort: number,
): WorkerSetup[] {
  const { spec, target, workers, keepAlive, maxConnections, drainMs, maxInFlight } = options
  const shard = options.shard ?? wholePlan
  return Array.from({ length: workers }, (_, index) => {
    const part = partOfWorker(shard, { index, of: workers })
    return {
      target,
      spec,
      part,
      passages,
      needs: partSize(spec, part).needs,
      keepAlive,
      ...(maxConnections === undefined
        ? {}
        : { maxConnections: shareOf(maxConnections, { index, of: workers }) }),
      drainNs: drainMs * 1e6,
      maxInFlight: Math.ceil(maxInFlight / workers),
      clockProbePort,
    }
  })
}
