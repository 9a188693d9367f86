import { Command, type Option } from 'commander'
import { count } from '../../../contract/text.ts'
import type { LoadComparison } from '../../../reports/load/model/comparison.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { ConfigurationError, InterruptedError } from '../../conformance/errors.ts'
import type { ComparisonOptions } from '../../load/comparison/figures.ts'
import { type BlockPair, compareInterleaved, minPairs } from '../../load/comparison/interleaved.ts'
import { type FlagsOf, flagTable } from '../flag-table.ts'
import { addFlags } from '../flags.ts'
import { loadFlags } from '../load/flags.ts'
import { runShown } from '../load/output/live.ts'
import { planOf, slosOf } from '../load/spec.ts'
import { prepareLoad } from '../load/target.ts'
import { containerGroup } from '../target/container-flags.ts'
import { noteFirstEndpoint, withTarget } from '../target/target.ts'
import type { Io } from '../terminal/io.ts'

const defaultDurationMs = 240_000
/** Share of a block that is its warm-up, while requests in flight build up. */
const warmUpShare = 0.2

/**
 * Runs blocks of the same load against two deployments in turn, in the order A B B A, and compares them.
 * Both blocks of a pair send the same plan. An interrupted run is compared as far as it got.
 * @throws ConfigurationError if the flags give no load for blocks
 */
export async function interleave(
  urls: readonly [a: string, b: string],
  flags: InterleaveFlags,
  options: ComparisonOptions,
  io: Io,
): Promise<LoadComparison> {
  refuseOthers(flags)
  const [blockMs, durationMs] = [flags.block, flags.duration ?? defaultDurationMs]
  const pairs = Math.floor(durationMs / (2 * blockMs))
  if (pairs < minPairs) {
    throw new ConfigurationError([
      `--duration: ${durationMs / 1000} s has room for ${count(pairs, 'pair')} of blocks of ${blockMs / 1000} s, and it takes ${minPairs}: pass a longer --duration, or a shorter --block`,
    ])
  }
  const spec = planOf({ ...flags, duration: blockMs })
  const slos = slosOf(flags.slo)
  const [urlA, urlB] = urls
  return withTarget(urlA, flags, io, (a) =>
    withTarget(urlB, flags, io, async (b) => {
      const profiles = { a, b }
      for (const profile of [a, b]) {
        noteFirstEndpoint(profile, io)
        await prepareLoad(profile, flags, { spec, slos }).preflight(io.signal)
      }
      const done: BlockPair[] = []
      for (let pair = 0; pair < pairs && !io.signal.aborted; pair++) {
        const own = { ...spec, seed: `${spec.seed}.${pair}` }
        const order = pair % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const)
        const reports = new Map<'a' | 'b', LoadReport>()
        for (const side of order) {
          const given = { ...flags, warmUp: flags.warmUp ?? warmUpShare * blockMs }
          const { target, options } = prepareLoad(profiles[side], given, { spec: own, slos })
          const run = { ...options, target, spec: own }
          reports.set(side, await runShown(run, { isShown: !flags.quiet }, io))
        }
        const [ofA, ofB] = [reports.get('a'), reports.get('b')]
        if (ofA && ofB && !ofA.interrupted && !ofB.interrupted) done.push({ a: ofA, b: ofB })
        if (!flags.quiet) io.err(`compare: pair ${pair + 1} of ${pairs}`)
      }
      if (done.length === 0) throw new InterruptedError('interrupted before a pair of blocks ended')
      return compareInterleaved(done, options)
    }),
  )
}

function refuseOthers(flags: InterleaveFlags): void {
  const { ramp, steps, replay, shard, startAt } = flags
  const others = { ramp, steps, replay, shard, 'start-at': startAt }
  const given = Object.entries(others).find(([, value]) => value !== undefined)
  if (given === undefined) return
  throw new ConfigurationError([
    `--${given[0]} does not apply to --interleave: each block has the same --rate or --concurrency`,
  ])
}

/** Flags of an interleaved run: those of a load, and the length of a block. */
function interleaveFlags() {
  const block = flagTable('--block <time>=10s  duration of one block of an interleaved run')
  return [...loadFlags(), ...block]
}
export type InterleaveFlags = FlagsOf<typeof interleaveFlags> & { readonly quiet?: boolean }

export function addInterleaveFlags(command: Command): void {
  const own = new Set(command.options)
  addFlags(command, ...interleaveFlags())
  for (const option of command.options) {
    if (own.has(option)) continue
    option.helpGroupHeading ??= 'Load, with --interleave:'
    if (isInapplicable(option)) option.hideHelp()
    if (option.long === '--duration') option.description = 'duration of the run (default: 4m)'
  }
}

/** True for a flag of a load that an interleaved run rejects: its two targets are arguments. */
function isInapplicable({ long, helpGroupHeading }: Option): boolean {
  return helpGroupHeading === containerGroup || inapplicable.has(long ?? '')
}

const inapplicable: ReadonlySet<string> = new Set([
  '--ramp',
  '--steps',
  '--replay',
  '--shard',
  '--start-at',
  '--url',
  '--spread',
])

/** @throws ConfigurationError if the command line has flags of a load and no --interleave */
export function refuseLoadFlags(command: Command): void {
  const ofLoad = new Command()
  addInterleaveFlags(ofLoad)
  const given = ofLoad.options.find(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (given === undefined) return
  throw new ConfigurationError([
    `${given.long} applies to --interleave only: stored reports are compared as they are`,
  ])
}
