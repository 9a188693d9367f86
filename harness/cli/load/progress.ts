import ora from 'ora'
import type { LoadProgress } from '../../load/run.ts'
import type { Io } from '../io.ts'

/** A line on a terminal that says how far a load run is; nothing where there is no terminal. */
export function showLoadProgress(io: Io, wanted: boolean) {
  if (!io.terminal || !wanted) return { update: () => {}, stop: () => {} }
  const spinner = ora({ text: 'preparing', stream: process.stderr }).start()
  return {
    update({ phase, elapsedMs, durationMs, book }: LoadProgress): void {
      const { requests, failed, inFlight } = book
      const left = Math.max(0, durationMs - elapsedMs) / 1000
      const trouble = failed > 0 ? `, ${failed} failed` : ''
      const text =
        elapsedMs > 0
          ? `${requests} requests, ${inFlight} in flight${trouble}, ${left.toFixed(0)} s left`
          : ''
      spinner.text = `${phase} ${text}`.slice(0, io.width - 4)
    },
    stop: () => void spinner.stop(),
  }
}
