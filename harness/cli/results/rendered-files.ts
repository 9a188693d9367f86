import { basename, join, resolve } from 'node:path'
import { reportName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { Io } from '../terminal/io.ts'
import { resultsIn } from './results-folder.ts'
import type { StoredFile } from './stored-report.ts'

/** Folders and files of reports that are rendered again. */

/** Refuses to write pages of one run next to the report of another. */
export function refuseOtherRun(
  { kind, startedAt }: { readonly kind: string; readonly startedAt: string },
  out: string | null,
  formats: readonly { readonly file: string | null }[],
): void {
  const there = out === null ? null : resultsIn(out)
  if (there === null || !hasFile(formats)) return
  const same = there.kind === kind && there.at.getTime() === Date.parse(startedAt)
  const replaced = there.kind === kind && formats.some(({ file }) => file === reportName)
  if (same || replaced) return
  throw new ConfigurationError([
    `${out} has the results of another run: choose another folder with --out, or print with --out -`,
  ])
}

export function hasFile(formats: readonly { readonly file: string | null }[]): boolean {
  return formats.some(({ file }) => file !== null)
}

export function tellWritten(
  formats: readonly { readonly file: string | null }[],
  out: string | null,
  io: Io,
): void {
  for (const { file } of formats)
    if (file !== null && out !== null) io.out(`Wrote ${join(out, file)}`)
}

/** Output folders: with several results, each has its own, named after the folder it came from. */
export function foldersFor(
  results: readonly Pick<StoredFile, 'dir'>[],
  out?: string,
): readonly (string | null)[] {
  if (out === '-') return results.map(() => null)
  if (out === undefined) return results.map(({ dir }) => dir)
  if (results.length === 1) return [out]
  const names = results.map(({ dir }) => basename(resolve(dir)))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) {
    throw new ConfigurationError([
      `two results are in folders named ${twice}: render them separately, each with its own --out`,
    ])
  }
  return names.map((name) => join(out, name))
}
