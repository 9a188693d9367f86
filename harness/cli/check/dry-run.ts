import type { Command } from 'commander'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { fitted } from '../terminal/fitted.ts'
import type { Io } from '../terminal/io.ts'

/**
 * Says that a dry run checked nothing. Where the environment of a CI job asked for it, nobody sees that
 * on the command line, so the gate does not turn green: the run ends as one without a verdict.
 */
export function endDryRun(command: Command, io: Io): ExitCode {
  const fromEnvironment = command.getOptionValueSource('dryRun') === 'env'
  if (!fromEnvironment || !isCi(io)) {
    const asked = fromEnvironment ? 'CHATGEN_DRY_RUN' : '--dry-run'
    io.err(fitted(`chatgen: dry run (${asked}): nothing was sent and nothing was checked`, io))
    return exitCode.done
  }
  io.err(
    [
      'chatgen: DRY RUN: CHATGEN_DRY_RUN is set in the environment of this CI job, so nothing was sent and',
      'chatgen: nothing was checked. It ends with 5 (no verdict); give --dry-run for a plan that ends with 0.',
    ].join('\n'),
  )
  return exitCode.incomplete
}

function isCi({ env }: Io): boolean {
  return !['', '0', 'false', undefined].includes(env['CI']?.toLowerCase())
}
