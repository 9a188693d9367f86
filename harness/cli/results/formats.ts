/** Formats of reports of any kind. */
import { ConfigurationError } from '../../conformance/errors.ts'
import { didYouMean } from '../../conformance/profile/document.ts'

export interface RenderOptions {
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** Console: also what passed (check), also by transaction (load). */
  readonly verbose: boolean
}

export type Named<Format> = Format & { readonly name: string }

/** Formats without `--report`. */
export const defaultFormats: readonly string[] = ['console', 'json']

/**
 * Looks up formats by name: each once, in the order of the table.
 * @throws ConfigurationError for an unknown name
 */
export function formatsIn<Format>(
  table: Readonly<Record<string, Format>>,
  names: readonly string[],
): readonly Named<Format>[] {
  const formatNames = Object.keys(table)
  const problems = names
    .filter((name) => !formatNames.includes(name))
    .map((name) => {
      const hint = didYouMean(name, formatNames)
      return `unknown report format ${name}.${hint} Formats: ${formatNames.join(', ')}`
    })
  if (problems.length > 0) throw new ConfigurationError(problems)
  return Object.entries(table)
    .filter(([name]) => names.includes(name))
    .map(([name, format]) => ({ name, ...format }))
}
