import { expect, it } from 'vitest'
import type { Calibration } from '../../reports/load/model/generator.ts'
import { calibrationUse, thisMachine } from './calibrate.ts'

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
