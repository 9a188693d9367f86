import { Command, CommanderError } from 'commander'
import { printable } from '../../reports/text/escape.ts'
import { suiteVersion } from '../conformance/defaults.ts'
import { ChatgenFailure, InterruptedError } from '../conformance/errors.ts'
import { type ExitCode, exitCode, exitCodeOfError, withInternalError } from './exit-codes.ts'
import { type AddCommand, readSwitches, refuseEmpty } from './flags.ts'
import { helpText, helpTopicOf } from './help.ts'
import { releaseFolders } from './results/folder-lock.ts'
import { type Io, processIo, watchInterrupts } from './terminal/io.ts'
import { tellFailure } from './terminal/progress.ts'

interface ListedCommand {
  readonly description: string
  /** Positional arguments, as the list of commands shows them. */
  readonly takes?: string
  readonly load: () => Promise<AddCommand>
}

/** Commands by name. The module of a command is loaded when it runs; `--help` needs none of them. */
const commands: Readonly<Record<string, ListedCommand>> = {
  check: {
    description: 'run the conformance suites against a deployment',
    takes: '[url]',
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  load: {
    description: 'run a load test that validates every response',
    takes: '[url]',
    load: async () => (await import('./commands/load.ts')).loadCommand,
  },
  capacity: {
    description: 'search for the highest load that meets the SLOs, with its confidence interval',
    takes: '[url]',
    load: async () => (await import('./commands/capacity.ts')).capacityCommand,
  },
  plan: {
    description: 'compute the number of replicas for a demand, from measured capacity',
    load: async () => (await import('./commands/plan.ts')).planCommand,
  },
  report: {
    description: 'render stored results in any format; merge the shards of a load run',
    takes: '<result...>',
    load: async () => (await import('./commands/stored.ts')).reportCommand,
  },
  compare: {
    description: 'compare two reports, and tell changes of the target from changes of chatgen',
    takes: '<a> <b>',
    load: async () => (await import('./commands/compare.ts')).compareCommand,
  },
  rejudge: {
    description: 'judge the stored exchanges of a run again with this version of chatgen',
    takes: '<dir>',
    load: async () => (await import('./commands/stored.ts')).rejudgeCommand,
  },
  certify: {
    description: 'run a certification and write a signed bundle',
    takes: '[url]',
    load: async () => (await import('./commands/certify.ts')).certifyCommand,
  },
  verify: {
    description: 'verify a certification bundle',
    takes: '<dir>',
    load: async () => (await import('./commands/bundles.ts')).verifyCommand,
  },
  site: {
    description: 'write a static site that compares certified implementations',
    takes: '<dir...>',
    load: async () => (await import('./commands/bundles.ts')).siteCommand,
  },
  bench: {
    description: 'measure maximum throughput with autocannon',
    takes: '[url]',
    load: async () => (await import('./commands/bench.ts')).benchCommand,
  },
  calibrate: {
    description: 'measure the timestamp error of the load generator on this machine',
    load: async () => (await import('./commands/calibrate.ts')).calibrateCommand,
  },
  ui: {
    description: 'show requirements, runs and stored results on a page of this machine',
    takes: '[url|dir...]',
    load: async () => (await import('./commands/ui.ts')).uiCommand,
  },
  serve: {
    description: 'run the reference server, with a deterministic fake model',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  list: {
    description: 'list the catalog: requirements, exclusions and open questions',
    load: async () => (await import('./commands/catalog.ts')).listCommand,
  },
  explain: {
    description: 'explain a requirement, exclusion or open question',
    takes: '<id>',
    load: async () => (await import('./commands/catalog.ts')).explainCommand,
  },
  init: {
    description: 'probe a deployment and write a target profile',
    takes: '<url>',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  cleanup: {
    description: 'delete the chats or containers that a killed run left behind',
    takes: '[journal] [url]',
    load: async () => (await import('./commands/cleanup.ts')).cleanupCommand,
  },
}

const maxHelpWidth = 80

/** Runs the command line of this process and resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const io = processIo(watchInterrupts(new InterruptedError('interrupted')))
  const lastResorts = watchLastResorts(
    (error) => reportError(error, io),
    () => process.exit(exitCode.internalError),
  )
  const code = await runCommandLine(argv, io)
  return lastResorts.wasHandled ? withInternalError(code) : code
}

/** Runs a command line; errors are printed. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCode.done
  const program = newProgram(io)
  try {
    const named = argv[0] === 'help' ? argv[1] : argv[0]
    if (named !== undefined && Object.hasOwn(commands, named)) {
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
  await addCommands(program, Object.keys(commands), io, finish)
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
      refuseEmpty(command)
    })
    .hook('postAction', releaseFolders)
}

async function addCommands(
  program: Command,
  names: readonly string[],
  io: Io,
  finish: (code: ExitCode) => void,
): Promise<void> {
  const added = Object.entries(commands).filter(([name]) => names.includes(name))
  const adders = await Promise.all(added.map(([, { load }]) => load()))
  for (const [at, [name, { description }]] of added.entries()) {
    adders[at]?.(program.command(name).description(description), io, finish)
  }
}

/** Commands as `--help` shows them; none of them can run. */
function listCommands(program: Command): void {
  for (const [name, { takes, description }] of Object.entries(commands)) {
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

const lastResorts = ['uncaughtException', 'unhandledRejection'] as const

/**
 * Handles uncaught errors as internal errors: Node would exit with 1, which means a violation. While the
 * suites run in this process, vitest has its own handlers, and the report lists the error.
 * @param tell called with each error; @param end called if no other handler is installed
 */
export function watchLastResorts(
  tell: (error: unknown) => void,
  end: () => void,
): { readonly wasHandled: boolean } {
  const watch = { wasHandled: false }
  for (const event of lastResorts) {
    process.on(event, (error: unknown) => {
      watch.wasHandled = true
      tell(error)
      // While vitest runs, the report is still to be written.
      if (process.listenerCount(event) === 1) end()
    })
  }
  return watch
}
