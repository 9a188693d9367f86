import type { Command } from 'commander'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import type { Io } from '../terminal/io.ts'

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
