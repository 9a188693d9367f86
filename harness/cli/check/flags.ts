import {
  defaultJobs,
  defaultMaxGenerations,
  defaultOperations,
} from '../../conformance/defaults.ts'
import { profileNames, surfacesOfProfile } from '../../conformance/profile/selection.ts'
import { depths } from '../../conformance/run-setup.ts'
import {
  type FlagsOf,
  flag,
  grouped,
  list,
  outFlag,
  outputFlags,
  positiveInteger,
  seed as seedText,
  uiFlag,
  wholeNumber,
} from '../flags.ts'
import { containerFlags } from '../target/container-flags.ts'
import { endpointFlag, type TargetFlags, targetFlags } from '../target/target-flags.ts'
import { checkKind, defaultsText } from './publish.ts'

export function checkFlags() {
  return [
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
    endpointFlag(),
    ...targetFlags(),
    ...containerFlags(),
    ...grouped('Run:', runFlags()),
    outFlag(),
    ...outputFlags(checkKind(), 'everything, with all evidence', defaultsText),
  ]
}

export type CheckFlags = FlagsOf<typeof checkFlags> & TargetFlags

function runFlags() {
  return [
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
}

export const examples = `
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

/** Number of operations to explore; 0 without v3, as random sequences use chats. */
export function explorationFor({
  profile,
  only,
  explore = profile === 'full' && only.length === 0 ? defaultOperations : 0,
}: Pick<CheckFlags, 'profile' | 'only' | 'explore'>): number {
  return surfacesOfProfile(profile).includes('v3') ? explore : 0
}
