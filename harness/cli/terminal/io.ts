import { messageOf } from '../../../contract/error-message.ts'
import { RedactingWriter, type Secret } from '../../client/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { fitted } from './fitted.ts'
import { escapeWorkflowCommands } from './workflow-commands.ts'

/** The process as commands see it. */
export interface Io {
  readonly out: (text: string) => void
  /** Prints lines on standard error, wrapped for a terminal, without workflow commands of GitHub Actions. */
  readonly err: (text: string) => void
  /** Writes a file. @throws ConfigurationError with the reason if it cannot be written */
  readonly write: (file: string, text: string, flag?: 'w' | 'wx') => void
  /** Redacts text that another module prints, such as a progress line. */
  readonly clean: (text: string) => string
  /** Adds secrets to redact in everything that is printed or written. */
  readonly redact: (secrets: readonly Secret[]) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard error is a terminal on which lines can be redrawn. */
  readonly terminal: boolean
  /** Standard output supports colours. */
  readonly color: boolean
  /** Standard error supports colours. */
  readonly colorErr: boolean
  readonly width: number
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal
}

const minWidth = 60
const maxWidth = 120

export function processIo(signal: AbortSignal): Io {
  const { stdout, stderr, env } = process
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe)
  const writer = new RedactingWriter(secretsIn(env))
  // Containers may have a terminal without a size, on which nothing can be redrawn.
  const terminal =
    Boolean(stderr.isTTY) && stderr.columns > 0 && env['CI'] === undefined && env['TERM'] !== 'dumb'
  return {
    out: (text) => writer.out(`${text}\n`),
    err: (text) => {
      const lines = fitted(text, { terminal, width: fittingWidth(stderr) })
      writer.err(`${escapeWorkflowCommands(lines, env)}\n`)
    },
    write: (file, text, flag) => {
      try {
        writer.write(file, text, flag)
      } catch (error) {
        const reason = messageOf(error)
        throw new ConfigurationError([`cannot write ${file}: ${reason}`])
      }
    },
    clean: (text) => writer.clean(text),
    redact: (secrets) => writer.keepBack(secrets),
    env,
    terminal,
    color: supportsColor(stdout, env),
    colorErr: supportsColor(stderr, env),
    width: fittingWidth(stdout),
    signal,
  }
}

function fittingWidth({ columns }: NodeJS.WriteStream): number {
  return Math.min(Math.max(columns || 100, minWidth), maxWidth)
}

/**
 * FORCE_COLOR wins over NO_COLOR, as in Node itself; an empty NO_COLOR counts as unset (no-color.org).
 */
function supportsColor({ isTTY }: NodeJS.WriteStream, env: Io['env']): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: kind } = env
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return Boolean(isTTY) && !refused && kind !== 'dumb'
}

/** Keys in the environment, redacted before any profile is read. */
function secretsIn(env: Io['env']): Secret[] {
  return Object.entries(env).flatMap(([variable, value]) => {
    const [, name] = /^CHATGEN_(.*(?:KEY|TOKEN))$/.exec(variable) ?? []
    if (name === undefined || value === undefined) return []
    return [{ name: name.toLowerCase().replaceAll('_', ' '), value }]
  })
}

/** Ignores a closed pipe (`| head`): the run and its exit code are unaffected. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
}
