import { RedactingWriter, type Secret } from '../../client/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'

/** Everything that a command touches of its process. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Writes a file. @throws ConfigurationError that says why it cannot be written */
  readonly write: (file: string, text: string, flag?: 'w' | 'wx') => void
  /** For text that another module shows, such as a progress line. */
  readonly clean: (text: string) => string
  /** From now on these appear in nothing that is printed or written. */
  readonly keepBack: (secrets: readonly Secret[]) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard error is a terminal on which lines can be drawn anew. */
  readonly terminal: boolean
  /** Whether standard output takes colours. */
  readonly color: boolean
  /** Whether standard error does. */
  readonly colorErr: boolean
  readonly width: number
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal
}

const narrowest = 60
const widest = 120

export function processIo(signal: AbortSignal): Io {
  const { stdout, stderr, env } = process
  for (const stream of [stdout, stderr]) stream.on('error', forgiveReader)
  const outlet = new RedactingWriter(secretsIn(env))
  return {
    out: (text) => outlet.out(`${text}\n`),
    err: (text) => outlet.err(`${text}\n`),
    write: (file, text, flag) => {
      try {
        outlet.write(file, text, flag)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new ConfigurationError([`${file} cannot be written: ${reason}`])
      }
    },
    clean: (text) => outlet.clean(text),
    keepBack: (secrets) => outlet.keepBack(secrets),
    env,
    // Containers may have a terminal without a size, on which nothing can be drawn anew.
    terminal:
      Boolean(stderr.isTTY) &&
      stderr.columns > 0 &&
      env['CI'] === undefined &&
      env['TERM'] !== 'dumb',
    color: takesColor(stdout, env),
    colorErr: takesColor(stderr, env),
    width: Math.min(Math.max(stdout.columns || 100, narrowest), widest),
    signal,
  }
}

/**
 * FORCE_COLOR wins over NO_COLOR, as in Node itself; an empty NO_COLOR counts as not set
 * (no-color.org).
 */
function takesColor({ isTTY }: NodeJS.WriteStream, env: Io['env']): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: kind } = env
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return Boolean(isTTY) && !refused && kind !== 'dumb'
}

/** Keys in the environment are kept back before a profile says what they are for. */
function secretsIn(env: Io['env']): Secret[] {
  return Object.entries(env).flatMap(([variable, value]) => {
    const [, name] = /^CHATGEN_(.*(?:KEY|TOKEN))$/.exec(variable) ?? []
    if (name === undefined || value === undefined) return []
    return [{ name: name.toLowerCase().replaceAll('_', ' '), value }]
  })
}

/** Whoever reads along may have had enough (`| head`): the work and its exit code go on without. */
function forgiveReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
}
