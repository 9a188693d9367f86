import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import type { Digest, Doubt } from '../../../contract/report/common.ts'
import { type ConformanceReport, conformanceReport } from '../../../contract/report/conformance.ts'
import { capacityReport } from '../../../reports/capacity/model/report.ts'
import { loadReport } from '../../../reports/load/model/report.ts'
import { planReport } from '../../../reports/plan/model.ts'
import type { Exchanges } from '../../../reports/text/curl/chat.ts'
import {
  doubtOf,
  doubtText,
  type Evidence,
  evidenceDoubt,
  isEdited,
  withDoubt,
} from '../../../reports/text/digest.ts'
import { count } from '../../../reports/text/format.ts'
import { StoredRecording } from '../../client/index.ts'
import {
  exchangesName,
  reportName,
  runRecordName,
  suiteVersion,
} from '../../conformance/defaults.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import { maxStoredBytes } from '../../conformance/input-file.ts'
import type { Io } from '../terminal/io.ts'
import { inputText } from '../values.ts'

export interface StoredReport extends Recording, Pick<StoredFile, 'file' | 'dir' | 'doubt'> {
  readonly report: ConformanceReport
}

/** A report of any kind, not yet validated. */
export interface StoredFile {
  /** Name of the file in messages. */
  readonly file: string
  /** Folder of its results. */
  readonly dir: string
  readonly kind: unknown
  readonly value: unknown
  /** Set if it differs from what its run wrote. */
  readonly doubt: Doubt | null
}

const sealed: readonly unknown[] = ['conformance-report', 'load-report', 'capacity-report']

/**
 * Opens a report of any kind, by its results folder or by its file.
 * @throws ConfigurationError if it is not JSON
 */
export function openStored(path: string): StoredFile {
  const file = reportFile(path)
  const text = inputText(file, `cannot read ${file}`, maxStoredBytes)
  const parse = () => JSON.parse(text)
  const value: unknown = asConfigurationError(SyntaxError, parse, `${file} is not valid JSON`)
  const dir = dirname(file)
  const kind = memberOf(value, 'kind')
  // Other files have no digest.
  const doubt = sealed.includes(kind) ? doubtOf(value, evidenceIn(dir)) : null
  return { file, dir, kind, value, doubt }
}

/**
 * Reads a conformance report, with the exchanges in its folder.
 * @throws ConfigurationError that names the kind of the file if it is not a readable conformance report
 */
export function conformanceIn(stored: StoredFile): StoredReport {
  const report = readAs(conformanceReport, stored)
  const { file, dir, doubt } = stored
  return { report, file, dir, doubt, ...readRecording(join(dir, exchangesName)) }
}

export const loadIn = (stored: StoredFile) => readAs(loadReport, stored)
export const capacityIn = (stored: StoredFile) => readAs(capacityReport, stored)
export const planIn = (stored: StoredFile) => readAs(planReport, stored)

/** Warnings for files that differ from what their runs wrote, one line each. */
export function doubtLines(files: readonly Pick<StoredFile, 'dir' | 'doubt'>[]): readonly string[] {
  return files.flatMap(({ dir, doubt }) => {
    const text = doubtText(withDoubt({}, doubt))
    return text === null ? [] : [`chatgen: ${dir}: ${text}`]
  })
}

/** True if one of them was edited: its content is then not a verdict of chatgen. */
export function anyEdited(files: readonly Pick<StoredFile, 'doubt'>[]): boolean {
  return files.some(({ doubt }) => isEdited(withDoubt({}, doubt)))
}

/** Doubt about the files of a run by the digests in its report; null without any. */
export function evidenceDoubtIn(dir: string): Doubt | null {
  const file = join(dir, reportName)
  if (!existsSync(file)) return null
  try {
    return evidenceDoubt(openStored(file).value, evidenceIn(dir))
  } catch (error) {
    // An unreadable report says nothing about the files.
    if (error instanceof ConfigurationError) return null
    throw error
  }
}

/** Warns of unreadable lines of the evidence. */
export function tellLost({ lost, dir }: Pick<StoredReport, 'lost' | 'dir'>, io: Pick<Io, 'err'>) {
  const lines = lost()
  if (lines === 0) return
  io.err(
    `${join(dir, exchangesName)}: ${count(lines, 'line')} cannot be read (truncated when the run was killed?); their evidence is lost`,
  )
}

function reportFile(path: string): string {
  if (!existsSync(path)) throw new ConfigurationError([`no such file or folder: ${path}`])
  if (!statSync(path).isDirectory()) return path
  const file = join(path, reportName)
  if (existsSync(file)) return file
  const recorded = existsSync(join(path, exchangesName)) && existsSync(join(path, runRecordName))
  throw new ConfigurationError([
    recorded
      ? `${path} has no ${reportName}: its run did not finish. Run chatgen rejudge ${path} to judge its recording`
      : `${path} has no ${reportName}`,
  ])
}

const maxIssues = 5

type Schema<Report> = z.ZodType<Report> & {
  /** Kind of the report, and the newest version that can be read. */
  readonly shape: { readonly kind: { value: string }; readonly schemaVersion: { value: number } }
}

/** @throws ConfigurationError if the file is not a readable report of this kind */
function readAs<Report extends { readonly kind: string; readonly digest?: Digest | undefined }>(
  schema: Schema<Report>,
  { file, kind, value, doubt }: StoredFile,
): Report {
  const expected = schema.shape.kind.value
  if (kind !== expected) {
    const what = typeof kind === 'string' ? `a ${kind}, not` : 'not'
    throw new ConfigurationError([`${file} is ${what} a ${expected.replace('-', ' ')} of chatgen`])
  }
  const readable = schema.shape.schemaVersion.value
  const version = memberOf(value, 'schemaVersion')
  if (typeof version === 'number' && version > readable) {
    throw new ConfigurationError([
      `${file} has schema version ${version}; chatgen ${suiteVersion()} reads version ${readable}: use a newer chatgen`,
    ])
  }
  const result = schema.safeParse(value)
  if (result.success) return withDoubt(result.data, doubt)
  const { issues } = result.error
  const rest = issues.length - maxIssues
  throw new ConfigurationError([
    `${file} is not a readable ${expected}: ${count(issues.length, 'member')} ${issues.length === 1 ? 'is' : 'are'} missing or of the wrong shape; use the file as its run wrote it, or run again`,
    ...issues
      .slice(0, maxIssues)
      .map(({ path, message }) => `${file}: ${path.join('.')}: ${message}`),
    ...(rest > 0 ? [`${file}: and ${rest} more`] : []),
  ])
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

export interface Recording {
  /** Exchanges by id, in the order of the file; read lazily. */
  readonly exchanges: Exchanges
  /** Number of unreadable lines: a run that is killed truncates its last one. Reads the whole file. */
  lost(): number
}

/** Opens the exchanges of a run; without the file there is no evidence, and the verdicts remain. */
export function readRecording(file: string): Recording {
  if (!existsSync(file)) return { exchanges: new Map(), lost: () => 0 }
  if (!statSync(file).isFile()) throw new ConfigurationError([`${file}: not a regular file`])
  const exchanges = new StoredRecording(file, dirname(file))
  return { exchanges, lost: () => exchanges.lost }
}

export function evidenceIn(dir: string): Evidence {
  return {
    exchanges: fileDigest(join(dir, exchangesName)),
    settings: fileDigest(join(dir, runRecordName)),
  }
}

/** SHA-256 of a file, hexadecimal, read in chunks; null if it is missing or not a regular file. */
function fileDigest(file: string): string | null {
  // A device may be endless.
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return null
  const handle = openSync(file, 'r')
  try {
    const hash = createHash('sha256')
    const piece = Buffer.alloc(1 << 20)
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece)) {
      hash.update(piece.subarray(0, read))
    }
    return hash.digest('hex')
  } finally {
    closeSync(handle)
  }
}
