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
  for (const stream of [stdout, stderr]) stream.on('error', forgiveReader)
  return {
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(`${text}\n`),
    env,
    // Containers may have a terminal without a size, on which nothing can be drawn anew.
    terminal: Boolean(stderr.isTTY) && stderr.columns > 0 && env['CI'] === undefined,
    color: Boolean(stdout.isTTY) && env['NO_COLOR'] === undefined,
    width: Math.min(Math.max(stdout.columns || 100, narrowest), widest),
    signal,
  }
}

/** Whoever reads along may have had enough (`| head`): the work and its exit code go on without. */
function forgiveReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
}
