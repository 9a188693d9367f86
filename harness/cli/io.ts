/** Everything that a command touches of its process. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Progress is shown on a terminal only. */
  readonly terminal: boolean
  readonly color: boolean
  readonly width: number
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal
}

const narrowest = 60
const widest = 120

export function processIo(signal: AbortSignal): Io {
  const { stdout, stderr, env } = process
  return {
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(`${text}\n`),
    env,
    terminal: Boolean(stderr.isTTY) && env['CI'] === undefined,
    color: Boolean(stdout.isTTY) && env['NO_COLOR'] === undefined,
    width: Math.min(Math.max(stdout.columns ?? 100, narrowest), widest),
    signal,
  }
}
