import { z } from 'zod'

/** Measurement error of a load run. Times in milliseconds. */

const spread = z.object({ p50: z.number(), p99: z.number(), max: z.number(), count: z.int() })
export type Spread = z.infer<typeof spread>

/** Sample size from which the maximum is an upper bound of the p99 at 95 % confidence (0.99 ** 299 < 0.05). */
export const boundedSamples = 299

const worker = z.object({
  index: z.int(),
  requests: z.int(),
  events: z.int(),
  /** CPU time of this thread; null if the runtime does not report it. */
  cpuMs: z.number().nullable(),
  /** Busy share of its event loop, 0 to 1. */
  eventLoopUtilization: z.number(),
  /** Delay of the scheduler after a planned arrival. */
  scheduleDelay: spread.nullable(),
  /** Difference between the timestamps of this worker's loop and of a server in the same process. */
  timestampError: spread.nullable(),
})
export type WorkerRow = z.infer<typeof worker>

export const generator = z.object({
  verdict: z.enum(['valid', 'degraded', 'invalid']),
  /** Reasons why it is not valid; empty if it is. */
  reasons: z.array(z.string()),
  /** Timestamp error of all workers together: the error bar of every latency above. */
  timestampError: spread.nullable(),
  scheduleDelay: spread.nullable(),
  /** That of the busiest worker. */
  eventLoopUtilization: z.number(),
  /** CPU time of the process from the start of the run to the last response: workers, recording, garbage collection. */
  cpuMs: z.number(),
  eventsPerSecond: z.number(),
  /** Events per second of `cpuMs`; null without CPU time. */
  eventsPerCpuSecond: z.number().nullable(),
  /** Stored results of `chatgen calibrate` for this machine; null if it never ran. */
  calibration: z
    .object({
      measuredAt: z.string(),
      /** Events a second at which the error was still within bounds. */
      ceilingEventsPerSecond: z.number(),
      /** Share of that ceiling that this run used. */
      used: z.number(),
    })
    .nullable(),
  workers: z.array(worker),
  environment: z.object({
    node: z.string(),
    platform: z.string(),
    cpus: z.int(),
    cpuModel: z.string(),
    loadAverage: z.number(),
  }),
})
export type GeneratorRow = z.infer<typeof generator>

/** An identity that the figures must satisfy, whatever the target does. */
export const audit = z.object({
  /** `littles-law`, `conservation-dispatched`, `conservation-transactions`, … */
  name: z.string(),
  verdict: z.enum(['pass', 'fail', 'not-applicable']),
  expected: z.number().nullable(),
  observed: z.number().nullable(),
  message: z.string(),
})
export type AuditRow = z.infer<typeof audit>

/** One event rate of `chatgen calibrate`, with the timestamp error at it. */
export const calibrationPoint = generator
  .pick({
    ...({ eventsPerSecond: true, timestampError: true, eventLoopUtilization: true } as const),
    ...({ eventsPerCpuSecond: true, verdict: true } as const),
  })
  .extend({ plannedEventsPerSecond: z.number() })
export type CalibrationPoint = z.infer<typeof calibrationPoint>

/** Results of `chatgen calibrate` for this machine. */
export const calibration = z.object({
  kind: z.literal('calibration'),
  schemaVersion: z.literal(1),
  measuredAt: z.string(),
  /** A calibration holds for the machine and the runtime that it was made on. */
  machine: z.object({ node: z.string(), cpus: z.int(), cpuModel: z.string() }),
  workers: z.int(),
  points: z.array(calibrationPoint),
  /** The highest rate at which the error was within the promised bounds; 0 if there was none. */
  ceilingEventsPerSecond: z.number(),
})
export type Calibration = z.infer<typeof calibration>
