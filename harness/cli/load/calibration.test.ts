import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Calibration } from '../../../contract/report/calibration.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { calibrationFile, storeCalibration, storedCalibration } from './calibration.ts'

const io = { write: (file: string, text: string) => writeFileSync(file, text) }

const found: Calibration = {
  kind: 'calibration',
  schemaVersion: 1,
  measuredAt: '2026-11-21T00:00:00.000Z',
  machine: { node: 'v24.0.0', cpus: 2, cpuModel: 'a model' },
  workers: 1,
  points: [],
  ceilingEventsPerSecond: 10_000,
}

it('stands in the cache of the user', () => {
  expect(calibrationFile({ env: { XDG_CACHE_HOME: '/c' } })).toBe('/c/chatgen/calibration.json')
  expect(calibrationFile({ env: {} })).toMatch(/\.cache\/chatgen\/calibration\.json$/)
  expect(calibrationFile({ env: { XDG_CACHE_HOME: '' } })).toMatch(/\.cache\/chatgen/)
})

it('comes back as it was stored, in a folder that is made for it', () => {
  const file = join(temporary(), 'new', 'calibration.json')
  storeCalibration(file, found, io)
  expect(storedCalibration(file)).toEqual(found)
})

it.each(['', 'no JSON', '{"kind":"calibration","schemaVersion":2}'])(
  'is none where the file says %j',
  (text) => {
    const file = join(temporary(), 'calibration.json')
    writeFileSync(file, text)
    expect(storedCalibration(file)).toBeUndefined()
    expect(storedCalibration(`${file}.not`)).toBeUndefined()
  },
)

it('says why it cannot be written', () => {
  const file = join(temporary(), 'calibration.json')
  writeFileSync(file, '')
  expect(() => storeCalibration(join(file, 'below'), found, io)).toThrow(ConfigurationError)
})

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-calibration-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}
