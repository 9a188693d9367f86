import { Command, type Option } from 'commander'
import { ConfigurationError } from '../../conformance/errors.ts'
import { flag } from '../flags.ts'
import { addLoadFlags } from '../load/flags.ts'
import { containerGroup } from '../target/container-flags.ts'
import { duration } from '../values.ts'
import { defaultBlockMs } from './interleave.ts'

/** Adds the flags of an interleaved run: those of a load, and the length of a block. */
export function addInterleaveFlags(command: Command): void {
  const own = new Set(command.options)
  addLoadFlags(command).addOption(
    flag('--block <time>', 'duration of one block of an interleaved run')
      .argParser(duration)
      .default(defaultBlockMs, '10s'),
  )
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
