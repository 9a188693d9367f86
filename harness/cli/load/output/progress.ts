import type { LoadProgress } from '../../../load/run.ts'
import type { Io } from '../../terminal/io.ts'
import { noStatus, showStatus } from '../../terminal/status.ts'
import { liveLines, progressLine } from './live.ts'

/** Shows the progress of a load run, on the main thread, which sends nothing. */
export function showLoadProgress(io: Io, enabled: boolean) {
  if (!enabled) return { ...noStatus, update: () => {} }
  let latest: LoadProgress | undefined
  const status = showStatus(io, {
    drawn: (width) => (latest === undefined ? 'preparing' : liveLines(latest, width).join('\n')),
    logged: () => `load: ${latest === undefined ? 'preparing' : progressLine(latest)}`,
  })
  return {
    update(progress: LoadProgress): void {
      latest = progress
      status.refresh()
    },
    stop: status.stop,
  }
}
