import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { Calibration } from '../../../reports/load/model/generator.ts'
import { portOf } from '../../client/test-support/listen-on-loopback.ts'
import { calibrationUse, thisMachine } from '../calibrate.ts'
import { stampOf, startClockProbe, startClockProbeServer } from './generator-monitor.ts'
import { type GeneratorMeasurements, generatorLimits, generatorVerdict } from './verdict.ts'

const spread = (p99: number, count = 1000) => ({ p50: p99 / 10, p99, max: p99, count })
const calm: GeneratorMeasurements = {
  timestampError: spread(0.4),
  scheduleDelay: spread(1.2),
  eventLoopUtilization: 0.3,
  cpuShare: 0.3,
  dropped: 0,
}

it('generator verdict ignores unknown measurements', () => {
  const unknown = { timestampError: null, scheduleDelay: null, cpuShare: null }
  expect(generatorVerdict({ ...calm, ...unknown }).verdict).toBe('valid')
  expect(generatorVerdict({ ...calm, ...unknown, eventLoopUtilization: 1 }).verdict).toBe('invalid')
})

const inSpread = ['timestampError', 'scheduleDelay']

it.each(Object.entries(generatorLimits))(
  '%s alone changes the generator verdict at its limits',
  (name, limits) => {
    const verdictAt = (value: number) => {
      const sign = { [name]: inSpread.includes(name) ? spread(value) : value }
      return generatorVerdict({ ...calm, ...sign }).verdict
    }
    expect(verdictAt(limits.degraded * 0.999)).toBe('valid')
    expect(verdictAt(limits.degraded)).toBe('degraded')
    expect(verdictAt(limits.invalid * 0.999)).toBe('degraded')
    expect(verdictAt(limits.invalid)).toBe('invalid')
  },
)

it('generator verdict is the worst of its reasons, and all are listed', () => {
  const bad = {
    ...{ timestampError: spread(25), scheduleDelay: spread(30) },
    ...{ eventLoopUtilization: 0.9, cpuShare: 0.95, dropped: 3 },
  }
  expect(generatorVerdict(bad)).toMatchInlineSnapshot(`
    {
      "reasons": [
        "its timestamps were up to 25.0 ms late (p99)",
        "planned requests were sent up to 30.0 ms late (p99)",
        "the busiest event loop was busy 90 % of the time",
        "the busiest thread used 95 % of a CPU",
        "3 due transactions were not sent: too many were in flight",
      ],
      "verdict": "invalid",
    }
  `)
})

it('timestamp error uses the maximum if the sample is too small for a p99', () => {
  const late = (count: number) =>
    generatorVerdict({ ...calm, timestampError: { p50: 0.1, p99: 0.4, max: 49, count } })
  expect(late(298)).toEqual({
    verdict: 'invalid',
    reasons: ['its timestamps were up to 49.0 ms late (maximum of 298)'],
  })
  expect(late(299).verdict).toBe('valid')
})

it('timestamp error limit is that of the run if it is higher', () => {
  const late = { ...calm, timestampError: spread(40) }
  expect(generatorVerdict(late).verdict).toBe('invalid')
  expect(generatorVerdict({ ...late, maxTimestampErrorMs: 50 }).verdict).toBe('degraded')
  expect(generatorVerdict({ ...late, maxTimestampErrorMs: 40 }).verdict).toBe('invalid')
})

it('clock probe receives at most 300 stamps per second, none before they were sent', async () => {
  const server = await startClockProbeServer()
  onTestFinished(() => server.close())
  const first = startClockProbe(server.port)
  await expect.poll(() => first().count).toBe(0)
  const second = startClockProbe(server.port)
  await sleep(1000)
  const errors = second()
  expect(errors.count).toBeGreaterThan(0)
  expect(errors.count).toBeLessThan(300)
  expect(errors.minNs).toBeGreaterThanOrEqual(0)
})

it('clock probe measures the delay of a busy event loop', async () => {
  const { port, connection } = await scripted()
  const first = startClockProbe(port)
  const socket = await connection
  socket.write(stampOf(Number(process.hrtime.bigint())))
  const until = performance.now() + 300
  while (performance.now() < until);
  await sleep(20)
  const { count, minNs } = first()
  expect(count).toBe(1)
  expect(minNs).toBeGreaterThanOrEqual(250e6)
})

it('clock probe reads stamps that are split or joined', async () => {
  const { port, connection } = await scripted()
  const first = startClockProbe(port)
  const socket = await connection
  const stamps = Buffer.concat([Number(process.hrtime.bigint()), 1, 2, 3].map(stampOf))
  for (const [from, to] of [
    [0, 3],
    [3, 7],
    [7, 27],
  ] as const) {
    socket.write(stamps.subarray(from, to))
    await sleep(20)
  }
  expect(first().count).toBe(3)
})

it('clock probe counts nothing if the connection is refused', () => {
  expect(startClockProbe(1)().count).toBe(0)
})

async function scripted(): Promise<{ port: number; connection: Promise<Socket> }> {
  const connected = Promise.withResolvers<Socket>()
  const server = createServer({ noDelay: true }, connected.resolve)
  return { port: await portOf(server), connection: connected.promise }
}

const stored: Calibration = {
  kind: 'calibration',
  schemaVersion: 1,
  measuredAt: '2026-11-21T00:00:00.000Z',
  machine: thisMachine(),
  workers: 1,
  points: [],
  ceilingEventsPerSecond: 10_000,
}

it('calibrationUse returns the share of the calibrated ceiling that a run used', () => {
  expect(calibrationUse(stored, { eventsPerSecond: 2500 })).toEqual({
    measuredAt: stored.measuredAt,
    ceilingEventsPerSecond: 10_000,
    used: 0.25,
  })
})

it.each([
  ['there is no calibration', undefined],
  ['it found no rate', { ...stored, ceilingEventsPerSecond: 0 }],
  ['it is of another machine', { ...stored, machine: { ...stored.machine, cpus: 1000 } }],
])('calibrationUse returns null if %s', (_, calibration) => {
  expect(calibrationUse(calibration, { eventsPerSecond: 2500 })).toBeNull()
})
