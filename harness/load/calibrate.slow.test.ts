import { expect, it, onTestFinished } from 'vitest'
import {
  type Calibration,
  type CalibrationPoint,
  calibration,
} from '../../contract/report/load/generator.ts'
import { startReferenceServer } from '../../reference-server/index.ts'
import { parsePace } from '../../reference-server/runtime/pace.ts'
import { calibrate, calibrationUse, thisMachine } from './calibrate.ts'
import { plainTarget } from './target.ts'

it('drives a server at each rate, and keeps how late the stamps were', async () => {
  const server = await startReferenceServer({ keys: ['key'], pace: parsePace('ttft=20ms,gap=2ms') })
  onTestFinished(() => server.close())
  const points: CalibrationPoint[] = []
  const found = await calibrate({
    target: plainTarget(server.url, 'key'),
    suite: { version: '0', interface: '0' },
    workers: 1,
    rates: [300, 600],
    seconds: 2,
    signal: new AbortController().signal,
    onPoint: (point) => points.push(point),
  })
  expect(calibration.parse(found)).toEqual(found)
  expect(points).toEqual(found.points)
  expect(found.machine).toEqual(thisMachine())
  for (const { eventsPerSecond, timestampError, verdict } of found.points) {
    expect(eventsPerSecond).toBeGreaterThan(100)
    expect(timestampError?.count).toBeGreaterThan(50)
    expect(timestampError?.p99).toBeGreaterThanOrEqual(timestampError?.p50 ?? Number.NaN)
    expect(['valid', 'degraded', 'invalid']).toContain(verdict)
  }
}, 60_000)

const stored: Calibration = {
  kind: 'calibration',
  schemaVersion: 1,
  measuredAt: '2026-11-21T00:00:00.000Z',
  machine: thisMachine(),
  workers: 1,
  points: [],
  ceilingEventsPerSecond: 10_000,
}

it('says which share of it a run used', () => {
  expect(calibrationUse(stored, { eventsPerSecond: 2500 })).toEqual({
    measuredAt: stored.measuredAt,
    ceilingEventsPerSecond: 10_000,
    used: 0.25,
  })
})

it.each([
  ['there is none', undefined],
  ['it found no rate', { ...stored, ceilingEventsPerSecond: 0 }],
  ['it is of another machine', { ...stored, machine: { ...stored.machine, cpus: 1000 } }],
])('says nothing where %s', (_, calibration) => {
  expect(calibrationUse(calibration, { eventsPerSecond: 2500 })).toBeNull()
})
