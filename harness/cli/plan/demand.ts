import { ConfigurationError, refusing } from '../../conformance/errors.ts'
import { maxStoredBytes } from '../../conformance/input-file.ts'
import { TraceSyntaxError } from '../../load/plan/trace.ts'
import {
  DemandSyntaxError,
  type Measurement,
  type PlannedDemand,
  type Price,
  parseDemand,
  parsePrice,
} from '../../plan/demand.ts'
import { readDemandTrace } from '../../plan/trace.ts'
import { inputText } from '../input-text.ts'
import { anyEdited, capacityIn, doubtLines, openStored } from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'

/** @throws ConfigurationError that names the line of a trace which cannot be read */
export function demandOf(given: string): PlannedDemand {
  const demand = parsed('--demand', given, parseDemand)
  if (demand.kind !== 'file') return demand
  const { path } = demand
  const text = inputText(path, `--demand: cannot read ${path}`, maxStoredBytes)
  const trace = refusing(
    TraceSyntaxError,
    () => readDemandTrace(text),
    ({ line, message }) => `${path}:${line}: ${message}`,
  )
  if (trace.requests > 0) return { kind: 'trace', file: path, trace }
  throw new ConfigurationError([`${path}: there are no requests in it`])
}

/** @throws ConfigurationError */
export function priceOf(text: string): Price {
  return parsed('--price', text, parsePrice)
}

function parsed<Value>(flag: string, text: string, parse: (text: string) => Value): Value {
  return refusing(DemandSyntaxError, () => parse(text), ({ message }) => `${flag}: ${message}`)
}

interface Measurements {
  readonly measurements: readonly [Measurement, ...Measurement[]]
  /** One of them was edited after its run. */
  readonly isEdited: boolean
}

/**
 * Opens the capacity reports of `--from`, each with the number of replicas that it measured.
 *
 * @throws ConfigurationError for a file that is not a capacity report, and for sizes that do not match
 */
export function openMeasurements(
  paths: readonly string[],
  sizes: readonly number[] | undefined,
  io: Io,
): Measurements {
  if (sizes !== undefined && sizes.length !== paths.length) {
    throw new ConfigurationError([
      `--sizes has ${sizes.length} numbers, and --from is given ${paths.length} times: give one for each`,
    ])
  }
  if (sizes !== undefined && new Set(sizes).size < sizes.length) {
    throw new ConfigurationError(['--sizes: two measurements have the same number of replicas'])
  }
  const files = paths.map(openStored)
  for (const line of doubtLines(files)) io.err(line)
  const measurements = files.map((stored, at) => {
    const report = capacityIn(stored)
    if (report.probes.length === 0) {
      throw new ConfigurationError([
        `${stored.file} has no probes: its search ended before the first`,
      ])
    }
    return { file: stored.file, replicas: sizes?.[at] ?? at + 1, report }
  })
  if (sizes === undefined && measurements.length > 1) {
    const list = measurements.map(({ file, replicas }) => `${file} ${replicas}`).join(', ')
    io.err(
      `chatgen: replicas of each measurement, in the order of --from: ${list} (--sizes sets them)`,
    )
  }
  const [first, ...rest] = measurements
  if (first === undefined) throw new ConfigurationError(['no measurement given: pass --from FILE'])
  return { measurements: [first, ...rest], isEdited: anyEdited(files) }
}
