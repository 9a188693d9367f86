import type { Command } from 'commander'
import { defaultJobs, defaultMaxGenerations } from '../../conformance/defaults.ts'
import type { Exploration } from '../../conformance/exploration.ts'
import {
  type ProfileName,
  profileNames,
  surfacesOfProfile,
} from '../../conformance/profile/selection.ts'
import { type Depth, depths } from '../../conformance/run-setup.ts'
import {
  addOutputFlags,
  flag,
  grouped,
  list,
  outFlag,
  positiveInteger,
  seed as seedText,
  uiFlag,
  wholeNumber,
} from '../flags.ts'
import { addContainerFlags } from '../target/container-flags.ts'
import type { TargetFlags } from '../target/target.ts'
import { addTargetFlags, endpointFlag } from '../target/target-flags.ts'
import type { BaselineFlags } from './baseline.ts'
import { checkKind, defaultsText } from './report-formats.ts'

export interface CheckFlags extends TargetFlags, BaselineFlags {
  readonly profile: ProfileName
  readonly only: readonly string[]
  readonly skip: readonly string[]
  readonly failed?: boolean
  readonly failFast?: boolean
  /** True without a path. */
  readonly watch?: string | true
  readonly allowUndecided: readonly string[]
  readonly jobs: number
  readonly depth: Depth
  readonly maxRequests?: number
  readonly maxGenerations: number
  readonly explore?: number
  readonly out: string
  readonly seed?: string
  readonly strict?: boolean
  readonly dryRun?: boolean
  readonly ui?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly color: boolean
  readonly report?: readonly string[]
}

export function addCheckFlags(command: Command): Command {
  const first = [
    flag('--reference', 'start the bundled reference server and check it'),
    flag('--profile <name>', 'surfaces to check').choices(profileNames).default('full'),
    flag('--only <glob>', 'requirement ids, areas or titles; repeatable')
      .argParser(list)
      .default([], 'all'),
    flag('--skip <glob>', 'requirements to skip, as for --only')
      .argParser(list)
      .default([], 'none'),
    flag('--failed', 'only what was violated or undecided before'),
    flag('--fail-fast', 'end at the first violation'),
    flag('--watch [path]', 'again after a change of a file or of the target'),
    flag('--baseline <file>', 'known violations, YAML or JSON'),
    flag('--allow-undecided <glob>', 'conform although these are undecided; repeatable')
      .argParser(list)
      .default([], 'none'),
    flag('--strict', 'count warnings as violations'),
    flag('--dry-run', 'print the number of requests without sending any'),
    uiFlag(),
  ]
  const run = [
    flag('--depth <name>', 'conditions of requests: each once, each several times, or each pair')
      .choices(depths)
      .default('normal'),
    flag('--jobs <n>', 'number of concurrent scenarios')
      .argParser(positiveInteger)
      .default(defaultJobs),
    flag('--max-requests <n>', 'maximum number of requests, cleanup included').argParser(
      positiveInteger,
    ),
    flag('--max-generations <n>', 'maximum number of generations')
      .argParser(positiveInteger)
      .default(defaultMaxGenerations),
    flag(
      '--explore <n>',
      `operations of random sequences after the suites; 0 for none (default: ${defaultOperations} in profile full without --only)`,
    ).argParser(wholeNumber),
    flag('--update-baseline', 'write the current violations to the baseline, for review'),
    flag('--seed <text>', 'seed of generated names and nonces').argParser(seedText),
  ]
  for (const option of first) command.addOption(option)
  addContainerFlags(addTargetFlags(command.addOption(endpointFlag())))
  for (const option of run) command.addOption(grouped(option, 'run'))
  return addOutputFlags(command.addOption(outFlag()), checkKind, 'everything, with all evidence', {
    defaults: defaultsText,
  }).addHelpText('after', examples)
}

const examples = `
Examples:
  $ chatgen check --reference
  $ CHATGEN_API_KEY=… chatgen check https://chat.example.org
  $ chatgen check --target staging.yaml --only 'V3-IDEM-*' --only OAI-AUTH
  $ chatgen check --target staging.yaml --failed --watch src
  $ chatgen check --target staging.yaml --baseline known.yaml --report console,junit

Exit codes:
  0 conforms   1 violated   2 usage or configuration
  3 target unreachable, not this service, or API key rejected   4 internal error
  5 nothing violated, but a required requirement is undecided   130 interrupted`

/** Operations that a run of everything explores. */
export const defaultOperations = 200

interface ExploreFlags {
  readonly profile: ProfileName
  readonly only: readonly string[]
  readonly explore?: number
}

/** Undefined if there is nothing to explore: random sequences use chats, which only v3 has. */
export async function explorationFor(flags: ExploreFlags): Promise<Exploration | undefined> {
  const { profile, only } = flags
  const isWhole = profile === 'full' && only.length === 0
  const { explore = isWhole ? defaultOperations : 0 } = flags
  if (explore === 0 || !surfacesOfProfile(profile).includes('v3')) return undefined
  const { explorationOf } = await import('../../explore/run.ts')
  return explorationOf(explore)
}
