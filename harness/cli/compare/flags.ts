import { Command, type Option } from 'commander'
import { ConfigurationError } from '../../conformance/errors.ts'
import { addFlags, type FlagsOf, flag } from '../flags.ts'
import { loadFlags } from '../load/flags.ts'
import { containerGroup } from '../target/container-flags.ts'
import { duration } from '../values.ts'

/** Flags of an interleaved run: those of a load, and the length of a block. */
function interleaveFlags() {
  const block = flag('--block <time>', 'duration of one block of an interleaved run')
  return [...loadFlags(), block.argParser(duration).default(10_000, '10s')]
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
