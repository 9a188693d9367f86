import ora from 'ora'
import type { Progress } from '../conformance/run.ts'
import type { Io } from './io.ts'

/** A line on a terminal that says how far a run is; nothing where there is no terminal. */
export function showProgress(io: Io, wanted: boolean) {
  if (!io.terminal || !wanted) return { update: () => {}, stop: () => {} }
  const spinner = ora({ text: 'starting', stream: process.stderr }).start()
  return {
    update({ done, total, broken, scenario }: Progress): void {
      const trouble = broken > 0 ? `, ${broken} breaches` : ''
      spinner.text = `${done}/${total} scenarios${trouble}: ${scenario}`.slice(0, io.width - 4)
    },
    stop: () => void spinner.stop(),
  }
}
