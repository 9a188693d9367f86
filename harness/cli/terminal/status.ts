import { clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import { styleText } from 'node:util'
import { type Io, onErase } from './io.ts'

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

/** Runs a task, and stops the status when it ends. */
export async function during<T>(status: Pick<Status, 'stop'>, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } finally {
    status.stop()
  }
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
 * seconds in a log. Keyboard input is not read, so that Ctrl-C stays a signal.
 */
export function showStatus(io: Io, text: StatusText): Status {
  return io.terminal ? drawn(io, text) : logged(io, text)
}

function drawn({ colorErr, clean }: Io, text: StatusText): Status {
  const { stderr } = process
  const words = () => clean(text.drawn((stderr.columns || 80) - reservedColumns))
  let drawnText = words()
  let changedAt = performance.now()
  let frame = 0
  let lines = 0
  const erase = () => {
    cursorTo(stderr, 0)
    if (lines > 1) moveCursor(stderr, 0, 1 - lines)
    clearScreenDown(stderr)
    lines = 0
  }
  const draw = () => {
    if (performance.now() - changedAt >= ticksMs) change()
    const mark = spinner[frame % spinner.length] ?? ''
    frame += 1
    const colored = colorErr ? styleText('cyan', mark, { validateStream: false }) : mark
    erase()
    stderr.write(`${colored} ${drawnText}`)
    lines = drawnText.split('\n').length
  }
  // The remaining time changes even if nothing else does.
  const change = () => {
    changedAt = performance.now()
    drawnText = words()
  }
  draw()
  onErase(erase)
  const frames = setInterval(draw, frameMs).unref()
  return {
    refresh: () => {
      if (performance.now() - changedAt >= redrawMs) change()
    },
    stop: () => {
      clearInterval(frames)
      onErase(() => {})
      erase()
    },
  }
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 100

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
