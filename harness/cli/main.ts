import { Command, CommanderError } from 'commander'
import { printable } from '../../reports/text/escape.ts'
import { ChatgenFailure, InterruptedError } from '../conformance/errors.ts'
import { suiteVersion } from '../conformance/version.ts'
import type { AddCommand } from './command.ts'
import { type ExitCode, exitCode, exitCodeOfError, withInternalError } from './exit-codes.ts'
import { readSwitches } from './flags.ts'
import { releaseFolders } from './results/folder-lock.ts'
import { watchInterrupts } from './terminal/interruption.ts'
import { type Io, processIo } from './terminal/io.ts'
import { watchLastResorts } from './terminal/last-resort.ts'

/** The command that is named is loaded alone: all of them take a tenth of a second more. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  check: async () => (await import('./commands/check.ts')).checkCommand,
  load: async () => (await import('./commands/load.ts')).loadCommand,
  capacity: async () => (await import('./commands/capacity.ts')).capacityCommand,
  plan: async () => (await import('./commands/plan.ts')).planCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  compare: async () => (await import('./commands/compare.ts')).compareCommand,
  rejudge: async () => (await import('./commands/rejudge.ts')).rejudgeCommand,
  certify: async () => (await import('./commands/certify.ts')).certifyCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  site: async () => (await import('./commands/site.ts')).siteCommand,
  bench: async () => (await import('./commands/bench.ts')).benchCommand,
  calibrate: async () => (await import('./commands/calibrate.ts')).calibrateCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  list: async () => (await import('./commands/list.ts')).listCommand,
  explain: async () => (await import('./commands/explain.ts')).explainCommand,
  init: async () => (await import('./commands/init.ts')).initCommand,
  cleanup: async () => (await import('./commands/cleanup.ts')).cleanupCommand,
}

/** Runs the command line and resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const io = processIo(watchInterrupts(new InterruptedError('interrupted')))
  const lastResorts = watchLastResorts(
    (error) => reportError(error, io),
    () => process.exit(exitCode.internalError),
  )
  let code: ExitCode = exitCode.done
  try {
    const program = await buildProgram(
      io,
      (ended) => {
        code = ended
      },
      argv[0],
    )
    await program.parseAsync(argv, { from: 'user' })
    return lastResorts.wasHandled ? withInternalError(code) : code
  } catch (error) {
    return reportError(error, io)
  }
}

/**
 * Builds all commands with their flags, or only the one of this name; `finish` receives the exit code of
 * the one that ran.
 */
export async function buildProgram(
  io: Io,
  finish: (code: ExitCode) => void,
  name?: string,
): Promise<Command> {
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
    .hook('postAction', releaseFolders)
  const named = Object.entries(commands).filter(([one]) => one === name)
  const loaders = named.length > 0 ? named : Object.entries(commands)
  for (const add of await Promise.all(loaders.map(([, load]) => load()))) add(program, io, finish)
  for (const command of program.commands) command.copyInheritedSettings(program)
  return program
}

function reportError(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage
  const code = exitCodeOfError(error)
  if (code !== undefined && error instanceof ChatgenFailure) {
    // A message may repeat what a target sent.
    for (const line of error.message.split('\n')) io.err(`chatgen: ${printable(line)}`)
    return code
  }
  io.err('chatgen: internal error, please report it with this stack trace:')
  io.err(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return exitCode.internalError
}
