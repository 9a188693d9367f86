import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { matchesGlob, messageOf } from '../contract/text.ts'

/**
 * Options of a script, by the defaults of their names: texts, numbers, switches, and lists of repeatable texts. `--help`
 * prints the first comment of the script; a command line that cannot be read ends with 2. Handlers of `exit` run if a
 * signal ends the script.
 */
export function optionsOf<
  Defaults extends Readonly<Record<string, string | number | boolean | readonly string[]>>,
>({ filename }: Pick<ImportMeta, 'filename'>, defaults: Defaults): Defaults {
  const named = Object.entries(defaults).map(([name, value]) => {
    const type = typeof value === 'boolean' ? ('boolean' as const) : ('string' as const)
    return [name, { type, multiple: Array.isArray(value) }] as const
  })
  const help = { type: 'boolean', short: 'h' } as const
  // The handlers of `exit` stop servers and remove folders.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
  try {
    const { values } = parseArgs({ options: { ...Object.fromEntries(named), help } })
    if (values.help) {
      console.log(usageOf(filename))
      process.exit()
    }
    const given = Object.entries(values).map(([name, value]) => [
      name,
      typeof defaults[name] === 'number' ? numberIn(name, String(value)) : value,
    ])
    return { ...defaults, ...Object.fromEntries(given) }
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usageOf(filename)}`)
    process.exit(2)
  }
}

/** Default of an option that may be repeated. */
export const none: readonly string[] = []

/** Tests if a name matches one of the globs, or there are none. */
export function isAmong(name: string, globs: readonly string[]): boolean {
  return globs.length === 0 || globs.some((glob) => glob === name || matchesGlob(name, glob))
}

function numberIn(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value))
    throw new Error(`--${name} ${text} is not a number`)
  return value
}

function usageOf(file: string): string {
  const [, comment = ''] = /\/\*\*(.*?)\*\//s.exec(readFileSync(file, 'utf8')) ?? []
  return comment.replaceAll(/^ \*? ?/gm, '').trim()
}

/** A folder that is removed when the script ends, or the one to keep. */
export function scriptFolder(name: string, keep = ''): string {
  const folder = keep === '' ? mkdtempSync(join(tmpdir(), `chatgen-${name}-`)) : resolve(keep)
  if (keep === '') process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  else mkdirSync(folder, { recursive: true })
  return folder
}
