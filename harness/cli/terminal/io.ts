import { wrap } from '../../../reports/text/escape.ts'
import { RedactingWriter } from '../../client/redaction/redacting-writer.ts'
import type { Secret } from '../../client/redaction/redaction.ts'
import { asConfigurationError } from '../../conformance/errors.ts'
import { writeProblem } from '../../conformance/recording/result-files.ts'

/** The process as commands see it. */
export interface Io {
  readonly out: (text: string) => void
  /** Prints lines on standard error, wrapped for a terminal, without workflow commands of GitHub Actions. */
  readonly err: (text: string) => void
  /** Prints a report on standard error as it is, with its workflow commands. */
  readonly reportOnErr: (text: string) => void
  /** Writes a file. @throws ConfigurationError with the reason if it cannot be written */
  readonly write: (file: string, text: string, flag?: 'w' | 'wx') => void
  /** Redacts text that another module prints, such as a progress line. */
  readonly clean: (text: string) => string
  /** Adds secrets to redact in everything that is printed or written. */
  readonly redact: (secrets: readonly Secret[]) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard error is a terminal on which lines can be redrawn. */
  readonly terminal: boolean
  /** Standard output supports colors. */
  readonly color: boolean
  readonly colorErr: boolean
  readonly width: number
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal
}

const minWidth = 60
const maxWidth = 120

/** @param onLost called if standard output cannot be written, unless its reader has closed it */
export function processIo(signal: AbortSignal, onLost: () => void): Io {
  const { stdout, stderr, env } = process
  const writer = new RedactingWriter(secretsIn(env))
  const toErr = lenient(stderr, (text) => writer.err(text))
  const toOut = lenient(
    stdout,
    (text) => writer.out(text),
    (why) => {
      onLost()
      toErr(`chatgen: standard output cannot be written: ${why}\n`)
    },
  )
  // Containers may have a terminal without a size, on which nothing can be redrawn.
  const terminal =
    Boolean(stderr.isTTY) && stderr.columns > 0 && env['CI'] === undefined && env['TERM'] !== 'dumb'
  const reportOnErr = (text: string) => {
    eraseStatus()
    toErr(`${text}\n`)
  }
  return {
    out: (text) => {
      eraseStatus()
      toOut(`${text}\n`)
    },
    err: (text) => {
      const lines = fitted(text, { terminal, width: fittingWidth(stderr) })
      reportOnErr(escapeWorkflowCommands(lines, env))
    },
    reportOnErr,
    write: (file, text, flag) => {
      const write = () => writer.write(file, text, flag)
      asConfigurationError(Error, write, (error) => `cannot write ${file}: ${writeProblem(error)}`)
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

/** Errors if the reader closes the pipe (`| head`). */
const closedPipe: readonly (string | undefined)[] = ['EPIPE', 'ERR_STREAM_DESTROYED']

/**
 * Writes to a standard stream as long as that works: its errors do not affect the run.
 * @param tell called once with the error, unless it is a closed pipe
 */
function lenient(
  stream: NodeJS.WriteStream,
  write: (text: string) => void,
  tell: (why: string) => void = () => {},
): (text: string) => void {
  let isBroken = false
  const fail = (error: NodeJS.ErrnoException) => {
    if (isBroken) return
    isBroken = true
    if (!closedPipe.includes(error.code)) tell(error.message)
  }
  stream.on('error', fail)
  return (text) => {
    if (isBroken) return
    try {
      write(text)
    } catch (error) {
      // Writes to a file are synchronous, and so are their errors.
      fail(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

/**
 * Escapes workflow commands of GitHub Actions: its runner interprets lines that start with
 * `::` and `##[` anywhere in a line of the output of every step, and a target may have sent them.
 */
export function escapeWorkflowCommands(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (env['GITHUB_ACTIONS'] !== 'true') return text
  return text.replaceAll(/^(\s*):(?=:)/gm, '$1\\x3a').replaceAll('##[', '#\\x23[')
}

/** Wraps text at spaces for a terminal; text for a pipe is unchanged, because readers match whole lines. */
export function fitted(
  text: string,
  { terminal, width }: { readonly terminal: boolean; readonly width: number },
): string {
  if (!terminal) return text
  return text
    .split('\n')
    .flatMap((line) => (line.length <= width ? [line] : wrap(line, width)))
    .join('\n')
}

/** Erases the drawn status, of which a process has at most one; it is drawn again below what is printed. */
let eraseStatus = () => {}

/** Sets how the drawn status is erased. */
export function onErase(eraseDrawn: () => void): void {
  eraseStatus = eraseDrawn
}

/** Ctrl-C, `kill`, and a terminal that is closed. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One Ctrl-C may arrive twice: from the terminal, and from npx, which forwards signals. */
const samePressMs = 500

/**
 * Signal that is aborted by the first of these signals, or when the process that follows this one ends, so that
 * partial results are still written; a second signal kills the process.
 */
export function watchInterrupts(reason: Error): AbortSignal {
  const interruption = new AbortController()
  let firstAt = 0
  for (const signal of signals) {
    const early = process.rawListeners(signal)
    process.on(signal, () => {
      if (!interruption.signal.aborted) {
        firstAt = performance.now()
        interruption.abort(reason)
        return
      }
      if (performance.now() - firstAt < samePressMs) return
      process.removeAllListeners(signal)
      eraseStatus()
      process.kill(process.pid, signal)
    })
    // Removes those of bin/chatgen.cjs, which exit at once. There is always a listener.
    for (const listener of early) process.off(signal, listener as () => void)
  }
  // Of a process that reports to the one that started it: what can no longer be seen or stopped must not go on.
  process.once('disconnect', () => interruption.abort(reason))
  process.channel?.unref()
  return interruption.signal
}
