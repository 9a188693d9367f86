import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { Command, Option } from 'commander'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import type { Io } from '../terminal/io.ts'
import { resultAt } from './results.ts'
import { servePage } from './server.ts'
import { type Run, type Runner, Session } from './session.ts'

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
export function compare(a: string, b: string): Promise<string> {
  return new Promise((resolve) => {
    const args = [chatgenBin, 'compare', a, b, '--json', '--quiet']
    execFile(process.execPath, args, { maxBuffer: maxOutputBytes }, (_, stdout, stderr) =>
      resolve(stdout === '' ? stderr : stdout),
    )
  })
}

const maxOutputBytes = 10_000_000

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
