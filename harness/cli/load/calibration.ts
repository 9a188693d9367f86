import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Calibration, calibration } from '../../../contract/report/calibration.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/make-folder.ts'
import type { Io } from '../terminal/io.ts'

/** In the cache of the user (XDG Base Directory Specification). */
export function calibrationFile({ env }: Pick<Io, 'env'>): string {
  const cache = env['XDG_CACHE_HOME']
  return join(cache ? cache : join(homedir(), '.cache'), 'chatgen', 'calibration.json')
}

/** Undefined where there is none, or none that this version reads. */
export function storedCalibration(file: string): Calibration | undefined {
  try {
    return calibration.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/** @throws ConfigurationError where there is something that is no calibration, before it is measured */
export function refuseForeign(file: string): void {
  if (!existsSync(file) || storedCalibration(file) !== undefined) return
  const what = statSync(file).isDirectory() ? 'a folder' : 'no calibration that this version reads'
  throw new ConfigurationError([`${file} is ${what}: name another file with --out, or remove it`])
}

/** @throws ConfigurationError where the file cannot be written */
export function storeCalibration(file: string, found: Calibration, io: Pick<Io, 'write'>): void {
  try {
    makeFolder(dirname(file))
    io.write(file, `${JSON.stringify(found, null, 2)}\n`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`the calibration cannot be written: ${reason}`])
  }
}
