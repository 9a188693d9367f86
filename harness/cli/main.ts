import { setImmediate } from 'node:timers/promises'
import { Command, CommanderError } from 'commander'
import { printable } from '../../reports/text/escape.ts'
import { suiteVersion } from '../conformance/defaults.ts'
import { ChatgenFailure, InterruptedError } from '../conformance/errors.ts'
import { type ExitCode, exitCode, exitCodeOfError, withInternalError } from './exit-codes.ts'
import { type AddCommand, preferFlags, readSwitches, refuseEmpty } from './flags.ts'
import { helpText, helpTopicOf } from './help.ts'
import { releaseFolders } from './results/folder-lock.ts'
import { type Io, processIo, watchInterrupts } from './terminal/io.ts'
import { tellFailure } from './terminal/progress.ts'

/** Commands with their positional arguments and their purpose, as `--help` lists them. */
const commands = {
  check: ['[url]', 'run the conformance suites against a deployment'],
  load: ['[url]', 'run a load test that validates every response'],
  capacity: [
    '[url]',
    'search for the highest load that meets the SLOs, with its confidence interval',
  ],
  plan: ['', 'compute the number of replicas for a demand, from measured capacity'],
  report: ['<result...>', 'render stored results in any format; merge the shards of a load run'],
  compare: [
    '<a> <b>',
    'compare two reports, and separate changes of the target from changes of chatgen',
  ],
  rejudge: ['<dir>', 'judge the stored exchanges of a run again with this version of chatgen'],
  certify: ['[url]', 'run a certification and write a signed bundle'],
  verify: ['<dir>', 'verify a certification bundle'],
  site: ['<dir...>', 'write a static site that compares certified implementations'],
  bench: ['[url]', 'measure maximum throughput with autocannon'],
  calibrate: ['', 'measure the timestamp error of the load generator on this machine'],
  ui: ['[url|dir...]', 'show requirements, runs and stored results on a local web page'],
  serve: ['', 'run the reference server, with a deterministic fake model'],
  list: ['', 'list the catalog: requirements, exclusions and open questions'],
  explain: ['<id>', 'explain a requirement, exclusion or open question'],
  init: ['<url>', 'probe a deployment and write a target profile'],
  cleanup: ['[journal] [url]', 'delete the chats or containers that a killed run left behind'],
} as const

/** The module of a command is loaded when it runs; `--help` needs none of them. */
const loaders: Readonly<Record<keyof typeof commands, () => Promise<AddCommand>>> = {
  check: async () => (await import('./commands/check.ts')).checkCommand,
  load: async () => (await import('./commands/load.ts')).loadCommand,
  capacity: async () => (await import('./commands/capacity.ts')).capacityCommand,
  plan: async () => (await import('./commands/plan.ts')).planCommand,
  report: async () => (await import('./commands/stored.ts')).reportCommand,
  compare: async () => (await import('./commands/compare.ts')).compareCommand,
  rejudge: async () => (await import('./commands/stored.ts')).rejudgeCommand,
  certify: async () => (await import('./commands/certify.ts')).certifyCommand,
  verify: async () => (await import('./commands/bundles.ts')).verifyCommand,
  site: async () => (await import('./commands/bundles.ts')).siteCommand,
  bench: async () => (await import('./commands/bench.ts')).benchCommand,
  calibrate: async () => (await import('./commands/calibrate.ts')).calibrateCommand,
  ui: async () => (await import('./commands/ui.ts')).uiCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  list: async () => (await import('./commands/catalog.ts')).listCommand,
  explain: async () => (await import('./commands/catalog.ts')).explainCommand,
  init: async () => (await import('./commands/init.ts')).initCommand,
  cleanup: async () => (await import('./commands/cleanup.ts')).cleanupCommand,
}

function isCommand(name: string | undefined): name is keyof typeof commands {
  return name !== undefined && Object.hasOwn(commands, name)
}

const maxHelpWidth = 80

/** Runs the command line of this process and resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let isOutputLost = false
  const io = processIo(watchInterrupts(new InterruptedError('interrupted')), () => {
    isOutputLost = true
  })
  const lastResorts = watchLastResorts(io)
  const code = await runCommandLine(argv, io)
  // The error of the last write comes after it.
  await setImmediate()
  if (isOutputLost && code !== exitCode.interrupted) return exitCode.usage
  return lastResorts.wasHandled ? withInternalError(code) : code
}

/** Runs a command line; errors are printed. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCode.done
  const program = newProgram(io)
  try {
    const named = argv[0] === 'help' ? argv[1] : argv[0]
    if (isCommand(named)) {
      await addCommands(program, [named], io, (ended) => {
        code = ended
      })
      const command = program.commands.find((one) => one.name() === named)
      const topic = command === undefined ? null : helpTopicOf(argv, command)
      if (command !== undefined && topic !== null) {
        io.out(helpText(command, topic, Math.min(io.width, maxHelpWidth)))
        return exitCode.done
      }
    } else listCommands(program)
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    const command = program.commands.find((one) => one.name() === argv[0])
    if (command !== undefined) {
      const { publishFailure } = await import('./results/failure.ts')
      publishFailure(command, argv, error, io)
    }
    return reportError(error, io)
  }
}

/** Builds all commands with their flags; `finish` receives the exit code of the one that ran. */
export async function buildProgram(io: Io, finish: (code: ExitCode) => void): Promise<Command> {
  const program = newProgram(io)
  await addCommands(program, Object.keys(commands).filter(isCommand), io, finish)
  return program
}

function newProgram(io: Io): Command {
  return new Command('chatgen')
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
    .hook('preAction', (_, command) => {
      readSwitches(command, io.env)
      preferFlags(command)
      refuseEmpty(command)
    })
    .hook('postAction', releaseFolders)
}

async function addCommands(
  program: Command,
  names: readonly (keyof typeof commands)[],
  io: Io,
  finish: (code: ExitCode) => void,
): Promise<void> {
  const adders = await Promise.all(names.map((name) => loaders[name]()))
  for (const [at, name] of names.entries()) {
    adders[at]?.(program.command(name).description(commands[name][1]), io, finish)
  }
}

/** Commands as `--help` shows them; none of them can run. */
function listCommands(program: Command): void {
  for (const [name, [takes, description]] of Object.entries(commands)) {
    program.command([name, '[options]', takes].filter(Boolean).join(' ')).description(description)
  }
}

function reportError(error: unknown, io: Io): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode !== 0) tellFailure(error.message, io)
    return error.exitCode === 0 ? exitCode.done : exitCode.usage
  }
  const code = exitCodeOfError(error)
  if (code !== undefined && error instanceof ChatgenFailure) {
    // A message may repeat what a target sent.
    for (const line of error.message.split('\n')) io.err(`chatgen: ${printable(line)}`)
    tellFailure(error.message, io)
    return code
  }
  io.err('chatgen: internal error, please report it with this stack trace:')
  io.err(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return exitCode.internalError
}

/**
 * Handles uncaught errors as internal errors: Node would exit with 1, which means a violation. While the
 * suites run in this process, vitest has its own handlers, and the report lists the error.
 */
function watchLastResorts(io: Io): { readonly wasHandled: boolean } {
  const watch = { wasHandled: false }
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error: unknown) => {
      watch.wasHandled = true
      reportError(error, io)
      // While vitest runs, the report is still to be written.
      if (process.listenerCount(event) === 1) process.exit(exitCode.internalError)
    })
  }
  return watch
}
