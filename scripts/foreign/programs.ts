import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { environmentWithout } from '../../harness/conformance/process.ts'
import { type ChildServer, childServer } from '../../harness/load/child-server.ts'
import { type RequestLine, requestLine } from '../../reports/load/model/requests.ts'

/** Debian installs servers outside the PATH of users. */
const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: path } }).status === 0
}

export interface Start {
  /** Program and arguments; it stays in the foreground. */
  readonly command: readonly string[]
  /** Contents of the files in its folder, by name. */
  readonly files: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Timeout until it listens; ten seconds by default. */
  readonly patienceMs?: number
}

export interface Program {
  stop(): Promise<void>
  /** Output of the program, with the end of its log. */
  output(): string
}

/**
 * Starts a program in the foreground, and waits until it listens.
 *
 * @throws Error if it ends before, or does not listen within ten seconds
 */
export async function startProgram(folder: string, port: number, start: Start): Promise<Program> {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(start.files)) {
    writeFileSync(join(folder, name), content)
  }
  const [file = '', ...args] = start.command
  const child = spawn(file, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environmentWithout(notPassed),
      PATH: path,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      ...start.env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output = `${output}${bytes}`.slice(-64_000)
    })
  }
  child.on('error', (error) => {
    output += error.message
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const program: Program = {
    output: () => output + logOf(folder),
    stop: () => stop(child),
  }
  const hasEnded = () => child.exitCode !== null || child.pid === undefined
  const isSettled = async () => hasEnded() || (await isListening(port))
  if (!(await waitUntil(isSettled, start.patienceMs ?? 10_000, 50)) || hasEnded()) {
    await stop(child)
    throw new Error(`${file} does not listen: ${program.output().trim()}`)
  }
  return program
}

/** A text with its placeholders, such as `{port}`, filled in; a value may have some itself. */
export function filled(text: string, values: Readonly<Record<string, unknown>>): string {
  return text.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? filled(String(values[name]), values) : whole,
  )
}

/** nginx as one process, in front of what its `http` block names; its files are in the folder. */
export function startNginx(folder: string, port: number, http: string): Promise<Program> {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
  const configuration = `daemon off; master_process off; pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  ${paths.join(' ')}
${http}
}
`
  return startProgram(folder, port, {
    command: ['nginx', '-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`],
    files: { 'nginx.conf': configuration },
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
  await ended
  clearTimeout(timer)
}

function logOf(folder: string): string {
  try {
    return readFileSync(join(folder, 'error.log'), 'utf8').slice(-1000)
  } catch {
    return ''
  }
}

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export const bin = fileURLToPath(new URL('../../bin/chatgen.cjs', import.meta.url))

/** `chatgen serve` on a free port, in its own session, so that Linux shares CPUs evenly between it and others. */
export function serve(...flags: readonly string[]): Promise<ChildServer> {
  return childServer([bin, 'serve', '--port', '0', ...flags])
}

/** The real CLI, without environment variables that it would read as flags. */
export async function chatgen(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  maxMs = 120_000,
): Promise<Run> {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environmentWithout(notPassed), ...env },
    timeout: maxMs,
  })
  const output = [text(child.stdout), text(child.stderr)] as const
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), ...output])
  return { code, stdout, stderr }
}

const notPassed = /^(CHATGEN_|(HTTPS?|NO|ALL)_PROXY$)/i

/** CPU time of a process, seconds, from /proc in ticks of 10 ms; and the id of its session. */
export function cpuOf(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return { session: Number(fields[3]), seconds: (Number(fields[11]) + Number(fields[12])) / 100 }
}

/** Memory of a process, bytes: resident, the highest so far, or with shared pages divided. */
export function memoryIn(pid: number | undefined, figure: 'VmRSS' | 'VmHWM' | 'Pss'): number {
  const file = figure === 'Pss' ? 'smaps_rollup' : 'status'
  const text = readFileSync(`/proc/${pid}/${file}`, 'utf8')
  return 1024 * Number(new RegExp(`^${figure}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
}

/** Polls until it holds; false if it does not in time. */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs = 500,
): Promise<boolean> {
  for (const until = performance.now() + timeoutMs; !(await holds()); await sleep(everyMs)) {
    if (performance.now() >= until) return false
  }
  return true
}

/** A report that a command has written to its results folder. */
export function reportIn<Report>(
  model: { parse(value: unknown): Report },
  folder: string,
  name = 'report.json',
): Report {
  return model.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

/** Requests of a load run, from its results folder. */
export function requestsIn(folder: string): readonly RequestLine[] {
  return linesIn(join(folder, 'requests.ndjson')).map((line) => requestLine.parse(line))
}

/** Values of a file with one in each line. */
export function linesIn<Line>(file: string): readonly Line[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isConnected = once(socket, 'connect').then(
    () => true,
    () => false,
  )
  return isConnected.finally(() => socket.destroy())
}
