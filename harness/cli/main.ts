import { Command, CommanderError } from 'commander'
import { printable } from '../../reports/text/escape.ts'
import { InterruptedError, KitError } from '../conformance/errors.ts'
import { suiteVersion } from '../conformance/version.ts'
import type { AddCommand } from './command.ts'
import { benchCommand } from './commands/bench.ts'
import { calibrateCommand } from './commands/calibrate.ts'
import { capacityCommand } from './commands/capacity.ts'
import { certifyCommand } from './commands/certify.ts'
import { checkCommand } from './commands/check.ts'
import { cleanupCommand } from './commands/cleanup.ts'
import { compareCommand } from './commands/compare.ts'
import { explainCommand } from './commands/explain.ts'
import { initCommand } from './commands/init.ts'
import { listCommand } from './commands/list.ts'
import { loadCommand } from './commands/load.ts'
import { planCommand } from './commands/plan.ts'
import { rejudgeCommand } from './commands/rejudge.ts'
import { reportCommand } from './commands/report.ts'
import { serveCommand } from './commands/serve.ts'
import { siteCommand } from './commands/site.ts'
import { verifyCommand } from './commands/verify.ts'
import { type ExitCode, exitCode, exitCodeOfError, withInternalError } from './exit-codes.ts'
import { readSwitches } from './flags.ts'
import { watchInterrupts } from './terminal/interruption.ts'
import { type Io, processIo } from './terminal/io.ts'
import { watchLastResorts } from './terminal/last-resort.ts'

const commands: readonly AddCommand[] = [
  checkCommand,
  loadCommand,
  capacityCommand,
  planCommand,
  reportCommand,
  compareCommand,
  rejudgeCommand,
  certifyCommand,
  verifyCommand,
  siteCommand,
  benchCommand,
  calibrateCommand,
  serveCommand,
  listCommand,
  explainCommand,
  initCommand,
  cleanupCommand,
]

/** Runs the command line and resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const io = processIo(watchInterrupts(new InterruptedError('interrupted')))
  const lastResorts = watchLastResorts(
    (error) => reportError(error, io),
    () => process.exit(exitCode.internalError),
  )
  let code: ExitCode = exitCode.done
  const program = buildProgram(io, (ended) => {
    code = ended
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return lastResorts.seen ? withInternalError(code) : code
  } catch (error) {
    return reportError(error, io)
  }
}

/** Builds all commands with their flags; `finish` receives the exit code of the one that ran. */
export function buildProgram(io: Io, finish: (code: ExitCode) => void): Command {
  const program = new Command('chatgen')
    .description('Conformance test suite and load generator for the Chat Generation Service')
    .version(suiteVersion(), '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show the help of a command')
    .showSuggestionAfterError()
    .showHelpAfterError('Run chatgen --help, or chatgen COMMAND --help.')
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
    .exitOverride()
    .hook('preAction', (_, command) => readSwitches(command, io.env))
  for (const add of commands) add(program, io, finish)
  for (const command of program.commands) command.copyInheritedSettings(program)
  return program
}

function reportError(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage
  const code = exitCodeOfError(error)
  if (code !== undefined && error instanceof KitError) {
    // A message may repeat what a target sent.
    for (const line of error.message.split('\n')) io.err(`chatgen: ${printable(line)}`)
    return code
  }
  io.err('chatgen: internal error, please report it with this stack trace:')
  io.err(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return exitCode.internalError
}
