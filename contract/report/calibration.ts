import { z } from 'zod'

/** Results of `chatgen calibrate` for this machine: the timestamp error at each event rate. */

const spread = z.object({ p50: z.number(), p99: z.number(), max: z.number(), count: z.int() })

const point = z.object({
  plannedEventsPerSecond: z.number(),
  /** Achieved rate; lower than the target if server or generator was saturated. */
  eventsPerSecond: z.number(),
  /** Milliseconds; null if no canary was received. */
  timestampError: spread.nullable(),
  eventLoopUtilization: z.number(),
  eventsPerCpuSecond: z.number().nullable(),
  verdict: z.enum(['valid', 'degraded', 'invalid']),
})
export type CalibrationPoint = z.infer<typeof point>

export const calibration = z.object({
  kind: z.literal('calibration'),
  schemaVersion: z.literal(1),
  measuredAt: z.string(),
  /** A calibration holds for the machine and the runtime that it was made on. */
  machine: z.object({ node: z.string(), cpus: z.int(), cpuModel: z.string() }),
  workers: z.int(),
  points: z.array(point),
  /** The highest rate at which the error was within the promised bounds; 0 if there was none. */
  ceilingEventsPerSecond: z.number(),
})
export type Calibration = z.infer<typeof calibration>
