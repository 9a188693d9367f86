import {
  defaultJobs,
  defaultMaxGenerations,
  defaultOperations,
} from '../../conformance/defaults.ts'
import { profileNames, surfacesOfProfile } from '../../conformance/profile/selection.ts'
import { depths } from '../../conformance/run-setup.ts'
import { type FlagsOf, flagTable, grouped, outFlag, outputFlags, uiFlag } from '../flags.ts'
import { containerFlags } from '../target/container-flags.ts'
import { endpointFlag, type TargetFlags, targetFlags } from '../target/target-flags.ts'
import { seed } from '../values.ts'
import { checkKind, defaultsText } from './publish.ts'

export function checkFlags() {
  return [
    ...flagTable(
      `
      --reference  start the bundled reference server and check it
      --profile <name>=full  surfaces to check
      --only <glob>:list?all  requirement ids, areas or titles; repeatable
      --skip <glob>:list?none  requirements to skip: ids, areas or titles
      --failed  check only what the previous check left violated or undecided
      --fail-fast  end at the first violation
      --watch [path]  check again when a file changes or the target restarts
      --strict  count warnings as violations
      --dry-run  print the number of requests without sending any`,
      { name: profileNames },
    ),
    ...gateFlags(),
    ...uiFlag(),
    ...endpointFlag(),
    ...targetFlags(),
    ...containerFlags(),
    ...grouped('Run:', runFlags()),
    ...outFlag(),
    ...outputFlags(checkKind(), 'everything, with all evidence', defaultsText),
  ]
}

/** Flags of what a gate lets pass. */
export function gateFlags() {
  return flagTable(`
    --baseline <file>  known violations, YAML or JSON
    --allow-undecided <glob>:list?none  requirements that may stay undecided; repeatable`)
}

export type CheckFlags = FlagsOf<typeof checkFlags> & TargetFlags

function runFlags() {
  return flagTable(
    `
    --depth <name>=normal  coverage of request conditions: each once, each several times, or each pair
    --jobs <n>=${defaultJobs}  number of concurrent scenarios
    --max-requests <n>  maximum number of requests, cleanup included
    --max-generations <n>=${defaultMaxGenerations}  maximum number of generations
    --explore <n>:whole  random operations to run beside the suites; 0 for none
      (default: ${defaultOperations} in profile full without --only)
    --update-baseline  write the current violations to the baseline, for review
    --seed <text>:seed  seed of generated names and nonces`,
    { name: depths, seed },
  )
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
