import { once } from 'node:events'
import type { Command, Option } from 'commander'
import { targetFixture } from '../../../fixtures/files.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { profileNames } from '../../conformance/profile/selection.ts'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { defineCommand, flagTable, outFlag } from '../flags.ts'
import { runProgram } from '../runner/programs.ts'
import { withTarget } from '../target/target.ts'
import { connectionFlags, targetFlags } from '../target/target-flags.ts'
import type { Io } from '../terminal/io.ts'
import { nameOf, readResults, resultAt } from '../ui/results.ts'
import { servePage } from '../ui/server.ts'
import { type Run, type Runner, Session } from '../ui/session.ts'
import { portNumber } from '../values.ts'

const examples = `
Examples:
  $ CHATGEN_API_KEY=… chatgen ui http://127.0.0.1:4010
  $ chatgen ui --target staging.yaml --out results
  $ chatgen ui chatgen-results
  $ chatgen ui load-monday load-tuesday
  $ chatgen check --target staging.yaml --ui

With a target, the page has buttons that run chatgen check for all requirements, for those of a section,
for one, or for those that failed in the results folder. A partial run writes its results to a subfolder,
part-1, part-2, …; a run of everything replaces them. Any two of several results can be compared. To watch a
load run or a capacity search, pass --ui to its command.
The page is served on 127.0.0.1 until Ctrl-C, and only to requests with the token in its address.`

/** `chatgen ui`: a page for a target, or for stored results. */
export const uiCommand = defineCommand({
  args: { '[url|dir...]': 'base URL of a deployment, and results folders or report files' },
  flags: () => [
    ...flagTable('--reference  start the bundled reference server as the target'),
    ...targetFlags(),
    ...flagTable('--profile <name>=full  surfaces to check', { name: profileNames }),
    ...outFlag(),
    ...flagTable('--port <n>:portNumber=0 @ui  port of the page; 0 for a free one', { portNumber }),
  ],
  help: examples,
  async run({ flags: { port, ...flags }, io, command }, places: readonly string[]) {
    const urls = places.filter((place) => /^https?:\/\//i.test(place))
    const folders = places.filter((place) => !urls.includes(place))
    const hasTarget = urls.length > 0 || flags.target !== undefined || flags.reference === true
    if (urls.length > 1) throw new ConfigurationError(['pass one URL'])
    if (!hasTarget && folders.length === 0) {
      throw new ConfigurationError([
        'nothing to show: pass a URL, --target FILE, --reference, or results folders',
      ])
    }
    const results = [
      ...(hasTarget ? [resultAt(urls[0] ?? flags.target ?? 'reference', flags.out)] : []),
      ...folders.map((path) => ({ ...resultAt(nameOf(path), path), stored: readResults(path) })),
    ]
    const show = async (target: Target) => {
      const runner = hasTarget ? runnerOf(command, target) : null
      const session = new Session(results, runner)
      const page = await servePage(session, { port, compare })
      io.out(`Page: ${page.url}`)
      if (!io.signal.aborted) await once(io.signal, 'abort')
      await session.stop()
      await page.close()
    }
    if (!flags.reference) await show({ args: urls, env: io.env, ownFlags })
    else {
      await withTarget(urls[0], flags, io, ({ baseUrl, apiKey, otherKey }) =>
        show({
          args: [baseUrl, '--target', targetFixture().file],
          env: { ...io.env, CHATGEN_API_KEY: apiKey, CHATGEN_OTHER_KEY: otherKey },
          ownFlags: [...ownFlags, ...ofOtherTargets],
        }),
      )
    }
  },
})

/** Flags of the page: for other commands, --port is that of a container. */
const ownFlags = ['port']
/** Flags that do not apply to the bundled server, which runs as long as the page. */
const ofOtherTargets = ['reference', ...connectionFlags().map((one) => one.attributeName())]

/**
 * Runs the command of this process in another one, and shows it on a page. On a terminal the page stays until
 * Ctrl-C.
 * @returns the exit code of the run
 */
export async function runWithPage(
  command: Command,
  url: string | undefined,
  { out }: { readonly out: string },
  io: Io,
): Promise<ExitCode> {
  const name = command.name()
  const urls = url === undefined ? [] : [url]
  const result = { ...resultAt(name, out), stored: null }
  const target = { args: urls, env: io.env, ownFlags: [] }
  const runner = name === 'check' ? runnerOf(command, target) : null
  const session = new Session([result], runner)
  const page = await servePage(session, { port: 0, compare })
  io.err(`Page: ${page.url}`)
  const flags = givenFlags(command, process.argv.slice(3), ['ui'])
  const stop = () => void session.stop()
  io.signal.addEventListener('abort', stop, { once: true })
  const env = environmentWithout(io.env, ['ui'])
  const code = await session.follow(
    { args: [name, ...urls, ...flags], env, isPrinted: true },
    result,
  )
  if (io.terminal && !io.signal.aborted) {
    io.err('The page stays open until Ctrl-C.')
    await once(io.signal, 'abort')
    await session.stop()
  }
  await page.close()
  return Object.values(exitCode).find((one) => one === code) ?? exitCode.internalError
}

/** Flags of a single run, which runs of the page set themselves. */
const ofOneRun = [
  ...['ui', 'out', 'report', 'json', 'quiet', 'verbose', 'dryRun'],
  ...['updateBaseline', 'failed', 'failFast', 'watch'],
]
const ofSelection = ['only', 'skip', 'explore']

/** A target as the arguments and the environment of a command. */
export interface Target {
  readonly args: readonly string[]
  readonly env: Io['env']
  /** Flags of the command line, by attribute name, that runs do not have. */
  readonly ownFlags: readonly string[]
}

/** Checks of a target, with flags of the command line, each in a separate process. */
export function runnerOf(command: Command, { args, env, ownFlags }: Target): Runner {
  return ({ folder, flags }: Run) => {
    const dropped = [...ofOneRun, ...ownFlags, ...(flags.length > 0 ? ofSelection : [])]
    const kept = givenFlags(command, process.argv.slice(3), dropped)
    return {
      args: ['check', ...args, ...kept, '--out', folder, ...flags],
      env: environmentWithout(env, dropped),
      isPrinted: false,
    }
  }
}

/** Output of `chatgen compare --json`, or its error message. */
async function compare(a: string, b: string): Promise<string> {
  const args = [chatgenBin, 'compare', a, b, '--json', '--quiet']
  const { stdout, stderr } = await runProgram(process.execPath, args)
  return stdout === '' ? stderr : stdout
}

/** The flags of a command line as they were given, without those that are dropped by attribute name. */
export function givenFlags(
  { options }: Pick<Command, 'options'>,
  argv: readonly string[],
  dropped: readonly string[],
): readonly string[] {
  const kept: string[] = []
  for (let at = 0; at < argv.length; at += 1) {
    const token = argv[at] ?? ''
    if (token === '--') break
    const option = options.find(({ long, short }) => [long, short].includes(token.split('=')[0]))
    if (option === undefined) continue
    const hasValue = takesNext(option, token, argv[at + 1])
    if (hasValue) at += 1
    if (dropped.includes(option.attributeName())) continue
    kept.push(token, ...(hasValue ? [argv[at] ?? ''] : []))
  }
  return kept
}

function takesNext({ required, optional }: Option, token: string, next: string | undefined) {
  if (token.includes('=') || next === undefined) return false
  return required || (optional && !next.startsWith('-'))
}

/** The environment without the variables of these flags, given by attribute name. */
export function environmentWithout(
  env: Readonly<Record<string, string | undefined>>,
  dropped: readonly string[],
): Readonly<Record<string, string | undefined>> {
  const variables = dropped.map((name) => {
    return `CHATGEN_${name.replaceAll(/[A-Z]/g, '_$&')}`.toUpperCase()
  })
  return Object.fromEntries(Object.entries(env).filter(([name]) => !variables.includes(name)))
}
