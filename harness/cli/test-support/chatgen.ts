import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { type ConformanceReport, conformanceReport } from '../../../contract/report/conformance.ts'
import { call } from '../../client/test-support/send.ts'
import { environmentWithout } from '../../conformance/process.ts'

export const bin = fileURLToPath(new URL('../../../bin/chatgen.cjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  /** Signal that killed it. */
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export type Running = ReturnType<typeof start>

/** A command line, or its words. */
export type Line = string | readonly string[]

/** Words of a command line; single quotes hold spaces. */
export function wordsOf(line: Line): readonly string[] {
  if (typeof line !== 'string') return line
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))
}

/** The real CLI in a separate process, in an empty folder. */
export function start(line: Line, env: Readonly<Record<string, string>> = {}, cwd = emptyFolder()) {
  const child = spawn(process.execPath, [bin, ...wordsOf(line)], {
    cwd,
    env: { ...environmentWithout(/^(CHATGEN|VITEST|GITHUB_ACTIONS)/), NODE_ENV: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = [shownBy(child.stdout), shownBy(child.stderr)]
  return {
    child,
    stderr,
    ended: new Promise<Ended>((resolve) => {
      child.on('close', (code, signal) =>
        resolve({ code, signal, stdout: stdout.text, stderr: stderr.text }),
      )
    }),
    /** Standard output until now. */
    soFar: () => stdout.text,
    /** Resolves when standard output has shown the text. */
    shows: (text: string) => stdout.until((output) => output.includes(text)),
  }
}

/** Text that arrives on streams of a process. */
export function shownBy(...streams: readonly Readable[]): ShownText {
  const output = new ShownText()
  for (const stream of streams) stream.on('data', (bytes) => output.add(String(bytes)))
  return output
}

/** Output of a process until now. */
export class ShownText extends EventEmitter {
  text = ''

  add(more: string): void {
    this.text += more
    this.emit('more')
  }

  /** Resolves when the text is as expected. */
  async until(isExpected: (text: string) => boolean): Promise<void> {
    while (!isExpected(this.text)) await once(this, 'more')
  }
}

export function chatgen(
  line: Line,
  env: Readonly<Record<string, string>> = {},
  cwd = emptyFolder(),
): Promise<Ended> {
  return start(line, env, cwd).ended
}

/** An empty folder, with these files, in which commands run with these variables. */
export function workplace(
  env: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
) {
  const folder = emptyFolder()
  const at = (name: string) => join(folder, name)
  const write = (name: string, text: string) => {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const run = (line: Line) => chatgen(line, env, folder)
  return {
    ...{ folder, at, run, write },
    start: (line: Line) => start(line, env, folder),
    /** Runs a command, and expects how it ends. */
    ends: async (line: Line, code: number, texts?: Texts) => {
      const ended = await run(line)
      expectEnd(ended, code, texts)
      return ended
    },
    read: (name: string) => readFileSync(at(name), 'utf8'),
    list: (name = '.') => readdirSync(at(name)).toSorted(),
    report: (name = 'chatgen-results') => reportIn(at(name)),
  }
}

type Pattern = string | RegExp | readonly (string | RegExp)[]

/** Patterns of standard output and standard error. */
export interface Texts {
  readonly out?: Pattern
  readonly err?: Pattern
}

/** Expects an exit code and texts. */
export function expectEnd(
  { code, stdout, stderr }: Pick<Ended, 'code' | 'stdout' | 'stderr'>,
  expected: number,
  { out = [], err = [] }: Texts = {},
): void {
  for (const text of [out].flat()) expect(stdout).toMatch(text)
  for (const text of [err].flat()) expect(stderr).toMatch(text)
  expect(code, stdout + stderr).toBe(expected)
}

/** `chatgen serve` on a free port, until the test is over or `stop` is called. */
export async function serving(line: Line, cwd = emptyFolder()) {
  const args = wordsOf(line)
  const port = args.includes('--port') ? [] : ['--port', '0']
  const run = start(['serve', ...port, ...args], {}, cwd)
  const stop = async () => {
    run.child.kill('SIGTERM')
    return run.ended
  }
  onTestFinished(async () => void (await stop()))
  await run.shows('curl ')
  const url = (name: string) => new RegExp(`${name} +(http\\S+)`).exec(run.soFar())?.[1] ?? ''
  return { run, url: url('Listening on'), control: url('Control:'), stop }
}

/** Asks a server started by `serving`, whose key is test-key. */
export async function ask(
  url: string,
  content: string,
  key = 'test-key',
  signal: AbortSignal | null = null,
) {
  const question = { model: 'SVC-Main', messages: [{ role: 'user', content }] }
  const path = '/api/openai/chat/completions'
  const { status, text } = await call({ url, key }, 'POST', path, question, { signal })
  const { choices, detail } = JSON.parse(text)
  return { status, text: choices?.[0].message.content ?? detail }
}

/** Creates a chat, and returns its id. */
export async function newChat(url: string, key: string, name: string): Promise<string> {
  const { status, text } = await call({ url, key }, 'POST', '/api/v3/chat', { name })
  expect(status).toBe(201)
  return JSON.parse(text).id
}

/** Names of the chats on a server. */
export async function chatsOn(url: string, key: string): Promise<readonly string[]> {
  const { text } = await call({ url, key }, 'GET', '/api/v3/chat?limit=100')
  return JSON.parse(text).result.map(({ name }: { name: string }) => name)
}

/** The report of a check in its results folder. */
export function reportIn(folder: string): ConformanceReport {
  return conformanceReport.parse(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')))
}

export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'chatgen-test-'))
}

/** Environment variables that make a process fail in its own code on SIGUSR2. */
export function failing(statement: string) {
  return beginningWith(`process.on('SIGUSR2',()=>{${statement}})`)
}

export const slip = `Promise.reject(new Error('a slip of ours'))`

/** Makes a process that was started with `failing` fail, which ends it with 4, internal error. */
export async function endsAtSlip({ child, ended }: Running): Promise<void> {
  child.kill('SIGUSR2')
  const { code, stderr } = await ended
  expect(stderr).toContain('internal error, please report it')
  expect(stderr).toContain('a slip of ours')
  expect(code).toBe(4)
}

/** Runs a script first in the process and each of its threads. */
export function beginningWith(script: string) {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
}

/** Presses Ctrl-C twice: the second press ends the process before the shutdown that the first one began. */
export async function endsAtSecondPress({ child, ended }: Running): Promise<void> {
  child.kill('SIGINT')
  // The same key press, as npx passes it on.
  child.kill('SIGINT')
  // A starved process may take several presses for one.
  const isOver = ended.then(() => true)
  while (!(await Promise.race([isOver, sleep(700, false)]))) child.kill('SIGINT')
  const { code, signal } = await ended
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGINT' })
}
