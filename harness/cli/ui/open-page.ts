import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { Command, Option } from 'commander'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import type { Io } from '../terminal/io.ts'
import { resultsIfAny } from './results.ts'
import { servePage } from './server.ts'
import { type Result, Session, type StartCheck } from './session.ts'

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
  const result: Result = { ...resultAt(name, out), stored: null }
  const session = new Session([result], name === 'check' ? checksOf(command, urls, io) : null)
  const page = await servePage(session, { port: 0, compare })
  io.err(`Page: ${page.url}`)
  const flags = givenFlags(command, process.argv.slice(3), ['ui'])
  const stop = () => void session.stop()
  io.signal.addEventListener('abort', stop, { once: true })
  const code = await session.follow({
    args: [name, ...urls, ...flags],
    env: environmentWithout(io.env, ['ui']),
    isPrinted: true,
  })
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

/** Checks of the target of a command line, each in a separate process. */
export function checksOf(command: Command, urls: readonly string[], io: Io): StartCheck {
  // For other commands, --port is that of a container.
  const ofRun = command.name() === 'ui' ? [...ofOneRun, 'port'] : ofOneRun
  return (folder, only) => {
    const dropped = only === null ? ofRun : [...ofRun, ...ofSelection]
    const selection = only === null ? [] : ['--only', only.join(','), '--report', 'json']
    return {
      args: [
        ...['check', ...urls, ...givenFlags(command, process.argv.slice(3), dropped)],
        ...['--out', folder, ...selection],
      ],
      env: environmentWithout(io.env, dropped),
      isPrinted: false,
    }
  }
}

/** A folder that may have results. */
export function resultAt(name: string, path: string): Result {
  return { name, path, stored: resultsIfAny(path), parts: [], live: null, failure: null }
}

/** Output of `chatgen compare`, or its error message. */
export function compare(a: string, b: string): Promise<string> {
  return new Promise((resolve) => {
    const args = [chatgenBin, 'compare', a, b, '--no-color', '--quiet']
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
