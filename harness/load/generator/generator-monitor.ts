import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { performance } from 'node:perf_hooks'
import { rankOf } from '../../../contract/averages.ts'
import type { GeneratorRow, Spread, WorkerRow } from '../../../reports/load/model/generator.ts'
import { Histogram, type HistogramData, valueAt } from '../metrics/samples/histogram.ts'
import type { RequestRecord } from '../record.ts'
import { generatorVerdict } from './verdict.ts'

/** A worker of the generator at the end of its run, with the delay of its timestamps by the clock probe. */
type MeasuredThread = Readonly<{ usage: ThreadUsage; timestampError: HistogramData }>

/** Measurements of the whole process during a run. */
interface GeneratorRun {
  /** CPU of the process during the run. */
  readonly cpuMs: number
  readonly durationMs: number
  /** Due transactions that were not sent. */
  readonly undispatched: number
  readonly maxTimestampErrorMs?: number | undefined
}

/** Measures the generator's own error, one record at a time. */
export class GeneratorMonitor {
  readonly #delays = new Histogram()
  readonly #workers = new Map<number, { requests: number; events: number }>()

  add(worker: number, { step, timestamps, counts }: RequestRecord): void {
    if (step === 0) this.#delays.add(timestamps.dispatched - timestamps.planned)
    const own = valueAt(this.#workers, worker, () => ({ requests: 0, events: 0 }))
    own.requests += 1
    own.events += counts.events
  }

  row(done: readonly MeasuredThread[], run: GeneratorRun): GeneratorRow {
    const { cpuMs, durationMs, undispatched, maxTimestampErrorMs } = run
    const events = [...this.#workers.values()].reduce((sum, own) => sum + own.events, 0)
    const cpuShares = done.flatMap(({ usage }) => usage.cpuShare ?? [])
    const eventLoopUtilization = Math.max(0, ...done.map(({ usage }) => usage.eventLoopUtilization))
    const scheduleDelay = spreadOf(this.#delays)
    const all = new Histogram()
    const errors = done.map(({ timestampError }) => {
      all.merge(timestampError)
      return spreadOf(new Histogram().merge(timestampError))
    })
    return {
      ...generatorVerdict({
        timestampError: worstSpread(errors),
        scheduleDelay,
        eventLoopUtilization,
        cpuShare: cpuShares.length === 0 ? null : Math.max(...cpuShares),
        dropped: undispatched,
        maxTimestampErrorMs,
      }),
      timestampError: spreadOf(all),
      scheduleDelay,
      eventLoopUtilization,
      cpuMs,
      eventsPerSecond: durationMs === 0 ? 0 : events / (durationMs / 1000),
      eventsPerCpuSecond: cpuMs === 0 ? null : events / (cpuMs / 1000),
      calibration: null,
      workers: done.map(
        ({ usage: { cpuMs, eventLoopUtilization } }, index): WorkerRow => ({
          index,
          ...(this.#workers.get(index) ?? { requests: 0, events: 0 }),
          cpuMs,
          eventLoopUtilization,
          scheduleDelay: null,
          timestampError: errors[index] ?? null,
        }),
      ),
      environment: generatorEnvironment(),
    }
  }
}

/** The machine that sends the load. */
export function generatorEnvironment(): GeneratorRow['environment'] {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpus: availableParallelism(),
    cpuModel: cpus()[0]?.model ?? 'unknown',
    loadAverage: loadavg()[0] ?? 0,
  }
}

function spreadOf(delays: Histogram): Spread | null {
  if (delays.count === 0) return null
  const at = (q: number) => delays.highAt(rankOf(q, delays.count)) / 1e6
  return { p50: at(0.5), p99: at(0.99), max: (delays.maxNs ?? 0) / 1e6, count: delays.count }
}

/** Spread of the worst worker: it spoils its own measurements even if all others are on time. */
export function worstSpread(spreads: readonly (Spread | null)[]): Spread | null {
  return spreads.reduce(
    (worst, spread) => (spread !== null && spread.p99 > (worst?.p99 ?? -1) ? spread : worst),
    null,
  )
}

/** Resource usage of a worker during the run. */
export type ThreadUsage = ReturnType<ReturnType<typeof measureThread>>

/** Measures this thread from now on, until the returned function is called. */
export function measureThread() {
  const loop = performance.eventLoopUtilization()
  const before = threadCpuMs()
  const startedAt = performance.now()
  return () => {
    const now = threadCpuMs()
    const cpuMs = now === null || before === null ? null : now - before
    return {
      /** Null if the runtime does not report the CPU time of a thread. */
      cpuMs,
      /** CPU time per elapsed time. */
      cpuShare: cpuMs === null ? null : cpuMs / (performance.now() - startedAt),
      /** Busy share of the event loop, 0 to 1. */
      eventLoopUtilization: performance.eventLoopUtilization(loop).utilization,
    }
  }
}

/** `threadCpuUsage` exists from Node 22.19 and 23.9 on. */
function threadCpuMs(): number | null {
  if (typeof process.threadCpuUsage !== 'function') return null
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** A timestamp: nanoseconds of the monotonic clock as a double, which is exact for a hundred days. */
const stampBytes = 8

/**
 * Reads the timestamps of the probe server until the returned function is called, which returns their delays.
 * @param port of the probe server
 */
export function startClockProbe(port: number): () => Histogram {
  const errors = new Histogram()
  const buffer = Buffer.allocUnsafe(16 * 1024)
  let rest = Buffer.alloc(0)
  const callback = (length: number) => {
    // Taken before anything else, as in the reads of the load.
    const at = Number(process.hrtime.bigint())
    const whole = Buffer.concat([rest, buffer.subarray(0, length)])
    const end = whole.length - (whole.length % stampBytes)
    for (let from = 0; from < end; from += stampBytes) errors.add(at - whole.readDoubleLE(from))
    rest = whole.subarray(end)
    return true
  }
  const socket = connect({ host: '127.0.0.1', port, onread: { buffer, callback } })
  // Without a server the error is unknown, which the verdict reports.
  socket.on('error', () => {})
  return () => {
    socket.destroy()
    return errors
  }
}

/** Poisson arrivals see time averages (Wolff 1982): no rhythm of the loop is over- or underrepresented. */
const meanGapMs = 10

/** @throws the error of `listen` */
export async function startClockProbeServer() {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    const writeStamp = () => {
      socket.write(stampOf(Number(process.hrtime.bigint())))
      next = setTimeout(writeStamp, nextGap())
    }
    let next = setTimeout(writeStamp, nextGap())
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(next)
      sockets.delete(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

export function stampOf(ns: number): Buffer {
  const stamp = Buffer.allocUnsafe(stampBytes)
  stamp.writeDoubleLE(ns)
  return stamp
}

function nextGap(): number {
  return -meanGapMs * Math.log(1 - Math.random())
}
