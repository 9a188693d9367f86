import { dirname } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { Calibration } from '../../../reports/load/model/generator.ts'
import { exitCode } from '../exit-codes.ts'
import { defineCommand, type FlagsOf, flagTable } from '../flags.ts'
import { calibrationFile, refuseForeign, storeCalibration } from '../load/results.ts'
import { makeOutFolder } from '../results/folder-lock.ts'
import { bundledServer } from '../target/target.ts'
import { fitted, type Io } from '../terminal/io.ts'
import { showSteps } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'

function calibrateFlags() {
  return flagTable(
    `
    --rates <list>:rates=500,1000,2000,4000,8000,13000  event rates per second, ascending
    --duration <time>=8s @calibrate  time to measure each rate
    --workers <n>=1  number of worker threads
    --out <file> @calibrate  output file (default: in the user's cache folder)
    --json  print the calibration as JSON
    --quiet  no progress`,
    { rates },
  )
}

type CalibrateFlags = FlagsOf<typeof calibrateFlags>

const more = `
Runs the bundled server in a separate process at increasing event rates and measures the timestamp
error of the load generator: each worker also reads a stream whose events carry their send time. The
result is stored for this machine; reports of chatgen load then show what share of its capacity a run
used.

The bundled server needs about one CPU core: calibrate on an idle machine.

Exit codes: 0 done, 2 usage, 4 internal error, 6 no rate was measured reliably, 130 interrupted.

Examples:
  $ chatgen calibrate
  $ chatgen calibrate --workers 2 --rates 1000,5000,20000 --duration 10s
  $ chatgen calibrate --out calibration.json --json`

/** `chatgen calibrate`: timestamp error of the load generator on this machine, by event rate. */
export const calibrateCommand = defineCommand({
  flags: calibrateFlags,
  help: more,
  async run({ flags, io }) {
    const file = flags.out ?? calibrationFile(io)
    if (flags.out !== undefined) refuseForeign(file)
    makeOutFolder(dirname(file))
    const found = await measure(flags, io)
    if (!io.signal.aborted) storeCalibration(file, found, io)
    const text = textOf(found, file, io.signal.aborted)
    io.out(flags.json ? JSON.stringify(found, null, 2) : fitted(text, io))
    if (io.signal.aborted) return exitCode.interrupted
    return found.ceilingEventsPerSecond === 0 ? exitCode.measurementInvalid : exitCode.done
  },
})

async function measure(flags: CalibrateFlags, io: Io): Promise<Calibration> {
  const { calibrate } = await import('../../load/calibrate.ts')
  const { plainTarget } = await import('../../load/target.ts')
  const { interfaceRevision, suiteVersion } = await import('../../conformance/defaults.ts')
  const progress = showSteps(io, {
    name: 'calibrate',
    enabled: !flags.quiet,
    expectedMs: flags.rates.length * flags.duration,
  })
  const server = await bundledServer(['--pace', 'ttft=50ms,gap=10ms,jitter=0.3'])
  let measured = 0
  const next = () => progress.step(`rate ${measured + 1} of ${flags.rates.length}`)
  next()
  const found = during(progress, () =>
    calibrate({
      target: {
        ...plainTarget(server.url, server.key),
        userAgent: `chatgen-conformance/${suiteVersion()}`,
        tag: 'chatgen-calibrate',
      },
      suite: { version: suiteVersion(), interface: interfaceRevision },
      workers: flags.workers,
      rates: flags.rates,
      seconds: flags.duration / 1000,
      signal: io.signal,
      onPoint: ({ eventsPerSecond, timestampError, verdict }) => {
        measured += 1
        const error = timestampError === null ? 'unknown' : `${timestampError.p99.toFixed(3)} ms`
        const sentence = `${eventsPerSecond.toFixed(0)} events/s: timestamp error p99 ${error}, ${verdict}`
        if (!flags.quiet) io.err(`calibrate: ${sentence}`)
        if (measured < flags.rates.length) next()
      },
    }),
  )
  return found.finally(() => server.stop())
}

function textOf(found: Calibration, file: string, interrupted: boolean): string {
  const { ceilingEventsPerSecond: ceiling } = found
  const rows = found.points.map((point) =>
    [
      point.plannedEventsPerSecond.toFixed(0).padStart(10),
      point.eventsPerSecond.toFixed(0).padStart(10),
      (point.timestampError?.p50.toFixed(3) ?? '-').padStart(9),
      (point.timestampError?.p99.toFixed(3) ?? '-').padStart(9),
      `${(point.eventLoopUtilization * 100).toFixed(0)}%`.padStart(6),
      `  ${point.verdict}`,
    ].join(''),
  )
  return [
    '    Events per second      Timestamp error',
    '   planned  measured   p50 ms   p99 ms  busy  verdict',
    ...rows,
    '',
    ceiling === 0
      ? 'Timestamp error (p99) is 2 ms or more at every rate: is this machine busy?'
      : `Timestamp error (p99) stays below 2 ms up to ${ceiling.toFixed(0)} events/s.`,
    interrupted ? 'Interrupted: nothing was stored.' : `Stored in ${file}.`,
  ].join('\n')
}

function rates(text: string): number[] {
  const values = text.split(',').map(Number)
  const ascending = values.every((value, at) => value > (values[at - 1] ?? 0))
  if (!ascending || !values.every((value) => Number.isFinite(value) && value <= 1_000_000)) {
    throw new InvalidArgumentError('must be ascending numbers, e.g. 1000,5000,20000')
  }
  return values
}
