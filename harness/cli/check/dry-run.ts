import type { Command } from 'commander'
import { isExplorable } from '../../conformance/exploration.ts'
import type { Selection } from '../../conformance/profile/selection.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { containerOf, withoutContainer } from '../target/container-flags.ts'
import { withTarget } from '../target/target.ts'
import type { Io } from '../terminal/io.ts'
import { explorationFor } from './exploration.ts'
import type { CheckFlags } from './flags.ts'
import { planText } from './plan-text.ts'

/** Prints the cost of a run. Nothing is sent, and no container is started. */
export async function dryRun(
  url: string | undefined,
  flags: CheckFlags,
  selection: Selection,
  io: Io,
): Promise<void> {
  const { judgedRows, planConformance } = await import('../../conformance/plan.ts')
  const exploration = await explorationFor({ ...flags, ...selection })
  const container = containerOf(flags, io.env)
  const planned = container === undefined ? flags : withoutContainer(flags)
  const address = container === undefined ? url : `http://127.0.0.1:${container.port}`
  const text = await withTarget(address, planned, io, async (profile) => {
    const scenarios = await planConformance(profile, selection, flags.depth)
    const isExplored = exploration && isExplorable(exploration, judgedRows(selection, profile))
    return planText(scenarios, {
      ...(isExplored && { exploration }),
      selection,
      depth: flags.depth,
      maxGenerations: flags.maxGenerations,
      limits: profile.limits,
      jobs: flags.jobs,
      width: io.width,
    })
  })
  io.out(text)
}

/**
 * Reports that a dry run tested nothing. If an environment variable of a CI job requested it, that is not
 * visible on the command line: the exit code is then that of a run without a verdict, so the gate stays red.
 */
export function endDryRun(command: Command, io: Io): ExitCode {
  const fromEnvironment = command.getOptionValueSource('dryRun') === 'env'
  if (!fromEnvironment || !isCi(io)) {
    const source = fromEnvironment ? 'CHATGEN_DRY_RUN' : '--dry-run'
    io.err(`chatgen: dry run (${source}): nothing was sent, nothing was tested`)
    return exitCode.done
  }
  io.err(
    [
      'chatgen: DRY RUN: CHATGEN_DRY_RUN is set in the environment of this CI job: nothing was sent, nothing',
      'chatgen: was tested. Exit code 5 (no verdict); pass --dry-run to print the plan and exit with 0.',
    ].join('\n'),
  )
  return exitCode.incomplete
}

function isCi({ env }: Io): boolean {
  return !['', '0', 'false', undefined].includes(env['CI']?.toLowerCase())
}
