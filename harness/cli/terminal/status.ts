import ora from 'ora'
import type { Io } from './io.ts'

/** What a command is doing at the moment, as its reader can bear it. */
export interface StatusText {
  /** For a terminal of so many columns: a line or a few, none of them wider. */
  drawn(width: number): string
  /** One line for a log. */
  logged(): string
  /** Such commands take seconds, so the first line of the log comes after two of them. */
  readonly short?: boolean
}

export interface Status {
  /** There is news: drawn soon on a terminal, logged in its turn without one. */
  refresh(): void
  stop(): void
}

const redrawMs = 250
const ticksMs = 1000
const logMs = 10_000
/** What a short command says before its first ten seconds are over. */
const firstLogMs = 2000
/** Of the spinner, the space behind it, and the last column, in which some terminals wrap. */
const besideText = 3

export const noStatus: Status = { refresh: () => {}, stop: () => {} }

/**
 * Shows on standard error how far a command is: drawn over itself on a terminal, a line every ten
 * seconds where there is none. The keyboard is left alone, so that Ctrl-C stays a signal.
 */
export function showStatus(io: Io, text: StatusText): Status {
  return io.terminal ? drawn(io, text) : logged(io, text)
}

function drawn({ colorErr, clean }: Io, text: StatusText): Status {
  const { stderr } = process
  const words = () => clean(text.drawn((stderr.columns || 80) - besideText))
  const spinner = ora({
    text: words(),
    stream: stderr,
    // It would put the terminal into raw mode, in which Ctrl-C is a byte like any other.
    discardStdin: false,
    color: colorErr ? 'cyan' : false,
  }).start()
  let drawnAt = performance.now()
  const draw = () => {
    drawnAt = performance.now()
    spinner.text = words()
  }
  // What is left of the time runs on without news.
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
