import ora from 'ora'
import type { Io } from './io.ts'

/** A line on a terminal that says what is being done; nothing where there is no terminal. */
export function showSteps(io: Io) {
  if (!io.terminal) return { step: () => {}, stop: () => {} }
  const spinner = ora({ text: 'starting', stream: process.stderr }).start()
  return {
    step(what: string): void {
      spinner.text = what.slice(0, io.width - 4)
    },
    stop: () => void spinner.stop(),
  }
}
