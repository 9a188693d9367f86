import ora from 'ora'
import type { LoadProgress } from '../../load/run.ts'
import type { Io } from '../io.ts'
import { liveLines, progressLine } from './live.ts'

const redrawMs = 250
const logMs = 10_000

/**
 * How far a load run is: a few lines that are drawn anew on a terminal, a line now and then where
 * there is none. Both stand on standard error, and on the main thread, which sends nothing.
 */
export function showLoadProgress(io: Io, wanted: boolean) {
  if (!wanted) return { update: () => {}, stop: () => {} }
  return io.terminal ? drawn(io) : logged(io)
}

function drawn({ width }: Io) {
  const spinner = ora({ text: 'preparing', stream: process.stderr }).start()
  const due = every(redrawMs)
  return {
    update(progress: LoadProgress): void {
      // The spinner takes two columns of the first line.
      if (due()) spinner.text = liveLines(progress, width - 4).join('\n')
    },
    stop: () => void spinner.stop(),
  }
}

function logged({ err }: Io) {
  const due = every(logMs)
  // The first interval begins with the run.
  due()
  return {
    update(progress: LoadProgress): void {
      if (progress.elapsedMs > 0 && due()) err(progressLine(progress))
    },
    stop: () => {},
  }
}

/** True at most once in so many milliseconds. */
function every(ms: number): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - last < ms) return false
    last = now
    return true
  }
}
