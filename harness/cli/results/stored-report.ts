import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import { type ConformanceReport, conformanceReport } from '../../../contract/report/conformance.ts'
import type { Doubt } from '../../../contract/report/digest.ts'
import { type LoadReport, loadReport } from '../../../contract/report/load.ts'
import {
  doubtOf,
  doubtText,
  evidenceDiffers,
  isEdited,
  withDoubt,
} from '../../../reports/text/digest.ts'
import { count } from '../../../reports/text/format.ts'
import { exchangesName, reportName, runRecordName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { suiteVersion } from '../../conformance/version.ts'
import { type Recording, readRecording } from './exchanges.ts'
import { fileDigest } from './file-digest.ts'

export interface StoredReport extends Recording {
  readonly report: ConformanceReport
  /** The file, as it is called in messages. */
  readonly file: string
  /** The folder of its results. */
  readonly dir: string
  /** What is to be said of it where it is not as its run wrote it. */
  readonly doubt: Doubt | null
}

/** A file of some kind of report, before it is looked at. */
export interface StoredFile {
  /** As it is called in messages. */
  readonly file: string
  /** The folder of its results. */
  readonly dir: string
  readonly kind: unknown
  readonly value: unknown
  readonly doubt: Doubt | null
}

/**
 * A report of any kind, from its folder of results or from its file.
 * @throws ConfigurationError where there is no JSON
 */
export function openStored(path: string): StoredFile {
  const file = reportFile(path)
  const value = parseJson(readText(file), file)
  const dir = dirname(file)
  const doubt = doubtOf(value, fileDigest(join(dir, exchangesName)))
  return { file, dir, kind: memberOf(value, 'kind'), value, doubt }
}

/**
 * It as one of conformance, with the exchanges beside it.
 * @throws ConfigurationError that says what the file is, where it is none that can be read
 */
export function conformanceIn({ file, dir, kind, value, doubt }: StoredFile): StoredReport {
  if (kind !== 'conformance-report') {
    const what = typeof kind === 'string' ? `a ${kind}, no` : 'no'
    throw new ConfigurationError([`${file} is ${what} conformance report of chatgen`])
  }
  const report = checkStored(
    { schema: conformanceReport, readable: conformanceReport.shape.schemaVersion.value },
    value,
    file,
  )
  const recording = readRecording(join(dir, exchangesName))
  return { report: withDoubt(report, doubt), file, dir, doubt, ...recording }
}

/** @throws ConfigurationError where it is no load report that can be read */
export function loadIn({ file, value, doubt }: StoredFile): LoadReport {
  const report = checkStored(
    { schema: loadReport, readable: loadReport.shape.schemaVersion.value },
    value,
    file,
  )
  return withDoubt(report, doubt)
}

/** What is to be said of files that are not as their runs wrote them, a line for each. */
export function doubtLines(files: readonly Pick<StoredFile, 'dir' | 'doubt'>[]): readonly string[] {
  return files.flatMap(({ dir, doubt }) => {
    const text = doubt === null ? null : doubtText(withDoubt({}, doubt))
    return text === null ? [] : [`chatgen: ${dir}: ${text}`]
  })
}

/** True where one of them was edited: what it says is no verdict of the kit. */
export function anyEdited(files: readonly Pick<StoredFile, 'doubt'>[]): boolean {
  return files.some(({ doubt }) => doubt !== null && isEdited(withDoubt({}, doubt)))
}

/** True where a folder holds exchanges other than those that its report was made from. */
export function evidenceEdited(dir: string): boolean {
  const file = join(dir, reportName)
  if (!existsSync(file)) return false
  try {
    return evidenceDiffers(openStored(file).value, fileDigest(join(dir, exchangesName)))
  } catch (error) {
    // A report that cannot be read says nothing of the evidence.
    if (error instanceof ConfigurationError) return false
    throw error
  }
}

/** What a reader must know of evidence that is not whole; null where it is. */
export function lostText({ lost, dir }: Pick<Recording, 'lost'> & { readonly dir: string }) {
  const lines = lost()
  return lines === 0
    ? null
    : `${join(dir, exchangesName)}: ${count(lines, 'line')} cannot be read, as a run that is killed leaves them; the evidence in them is lost`
}

function reportFile(path: string): string {
  if (!existsSync(path)) throw new ConfigurationError([`there is no ${path}`])
  if (!statSync(path).isDirectory()) return path
  const file = join(path, reportName)
  if (existsSync(file)) return file
  const recorded = existsSync(join(path, exchangesName)) && existsSync(join(path, runRecordName))
  throw new ConfigurationError([
    recorded
      ? `${path} holds no ${reportName}: its run did not come to an end. chatgen rejudge ${path} makes a report of what it recorded`
      : `${path} holds no ${reportName}`,
  ])
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`${file} cannot be read: ${reason}`])
  }
}

interface Readable<Report> {
  readonly schema: z.ZodType<Report>
  /** The newest schema version that is read. */
  readonly readable: number
}

function checkStored<Report>(
  { schema, readable }: Readable<Report>,
  value: unknown,
  file: string,
): Report {
  const version = memberOf(value, 'schemaVersion')
  if (typeof version === 'number' && version > readable) {
    throw new ConfigurationError([
      `${file} has schema version ${version}, and chatgen ${suiteVersion()} reads version ${readable}: a newer chatgen is needed`,
    ])
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ConfigurationError(
    result.error.issues
      .slice(0, 5)
      .map(({ path, message }) => `${file}: ${path.join('.')}: ${message}`),
  )
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`${file} is no JSON: ${reason}`])
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}
