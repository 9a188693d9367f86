import ora from 'ora'
import type { Io } from './io.ts'

/** Current status of a command. */
export interface StatusText {
  /** One or a few lines for a terminal, none wider than `width` columns. */
  drawn(width: number): string
  /** One line for a log. */
  logged(): string
  /** The command takes only seconds: the first line is logged after two. */
  readonly short?: boolean
}

export interface Status {
  /** Marks the status as changed: redrawn soon on a terminal, logged at the next interval otherwise. */
  refresh(): void
  stop(): void
}

const redrawMs = 250
const ticksMs = 1000
const logMs = 10_000
/** Delay of the first line of a short command. */
const firstLogMs = 2000
/**
 * Columns of the spinner, the space after it, two `^C` that the terminal echoes, and the last column, in
 * which some terminals wrap.
 */
const reservedColumns = 7

export const noStatus: Status = { refresh: () => {}, stop: () => {} }

/**
 * Shows the status of a command on standard error: redrawn in place on a terminal, a line every ten
 * seconds in a log. The keyboard is left alone, so that Ctrl-C stays a signal.
 */
export function showStatus(io: Io, text: StatusText): Status {
  return io.terminal ? drawn(io, text) : logged(io, text)
}

function drawn({ colorErr, clean }: Io, text: StatusText): Status {
  const { stderr } = process
  const words = () => clean(text.drawn((stderr.columns || 80) - reservedColumns))
  const spinner = ora({
    text: words(),
    stream: stderr,
    // Discarding would put the terminal into raw mode, in which Ctrl-C is an ordinary byte.
    discardStdin: false,
    color: colorErr ? 'cyan' : false,
  }).start()
  let drawnAt = performance.now()
  const draw = () => {
    drawnAt = performance.now()
    spinner.text = words()
  }
  // The remaining time changes even if nothing else does.
  const ticks = setInterval(draw, ticksMs).unref()
  return {
    refresh: () => {
      if (performance.now() - drawnAt >= redrawMs) draw()
    },
    stop: () => {
      clearInterval(ticks)
      spinner.stop()
    },
  }
}

function logged({ err }: Io, text: StatusText): Status {
  const log = () => err(text.logged())
  const first = text.short ? setTimeout(log, firstLogMs).unref() : undefined
  const lines = setInterval(log, logMs).unref()
  return {
    refresh: () => {},
    stop: () => {
      clearTimeout(first)
      clearInterval(lines)
    },
  }
}
