import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Calibration, calibration } from '../../../contract/report/load/generator.ts'
import { messageOf } from '../../../contract/text.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { readInputFile } from '../../conformance/input-file.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import type { Io } from '../terminal/io.ts'

/** Path in the user's cache folder (XDG Base Directory Specification). */
export function calibrationFile({ env }: Pick<Io, 'env'>): string {
  const cache = env['XDG_CACHE_HOME']
  return join(cache ? cache : join(homedir(), '.cache'), 'chatgen', 'calibration.json')
}

/** Reads a calibration; undefined if there is none that this version can read. */
export function storedCalibration(file: string): Calibration | undefined {
  try {
    return calibration.parse(JSON.parse(readInputFile(file)))
  } catch {
    return undefined
  }
}

/** @throws ConfigurationError if the file exists and is not a calibration, before anything is measured */
export function refuseForeign(file: string): void {
  if (!existsSync(file) || storedCalibration(file) !== undefined) return
  const what = statSync(file).isDirectory() ? 'a folder' : 'not a calibration of this version'
  throw new ConfigurationError([`${file} is ${what}: choose another file with --out, or remove it`])
}

/** @throws ConfigurationError if the file cannot be written */
export function storeCalibration(file: string, found: Calibration, io: Pick<Io, 'write'>): void {
  try {
    makeFolder(dirname(file))
    io.write(file, `${JSON.stringify(found, null, 2)}\n`)
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigurationError([`cannot write the calibration: ${reason}`])
  }
}
