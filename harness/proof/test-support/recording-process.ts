/** A process that records a run, and judges recordings in suites that stay warm. */
import { targetFixture } from '../../../fixtures/targets.ts'
import { inlineEngine, type RunOptions, runConformance } from '../../conformance/run.ts'
import { startDeviant } from '../runs/target.ts'
import { redRows, verdictsOf } from '../verdicts.ts'
import type { Judged, Task } from './recording.ts'

// vitest forbids it to what runs beside its tests.
const exit = process.exit.bind(process)
const engine = inlineEngine()
const target = await startDeviant((parts) => parts, targetFixture('reference'))

process.on('message', async (task: Task) => {
  process.send?.(await perform(task))
})
process.on('disconnect', () => exit())
process.send?.('ready')

async function perform({ only, skip, outDir, recordingFile }: Task): Promise<Judged> {
  const { profile } = target
  // A recording holds no more than was asked: what is not there at once is not looked for again.
  const limits = {
    ...profile.limits,
    settleMs: recordingFile === undefined ? profile.limits.settleMs : 0,
  }
  const options: RunOptions = {
    profile: { ...profile, limits },
    selection: { profile: 'full', only: [...only], skip: [...skip] },
    seed: 'mutations',
    jobs: 8,
    outDir,
    engine,
  }
  const report = await runConformance(
    recordingFile === undefined ? options : { ...options, recordingFile },
  )
  const rows = verdictsOf(report)
  return {
    red: redRows({ rows }),
    passed: rows.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id),
    faults: report.faults.map(({ message }) => message),
  }
}
