import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ChildServer, childServer } from '../../harness/load/child-server.ts'

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
  for (const [name, text] of Object.entries(start.files)) writeFileSync(join(folder, name), text)
  const [file = '', ...args] = start.command
  const child = spawn(file, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...withoutOwn(process.env),
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
  if (!(await waitForPort(port, { timeoutMs: start.patienceMs ?? 10_000, child }))) {
    await stop(child)
    throw new Error(`${file} does not listen: ${program.output().trim()}`)
  }
  return program
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
    env: { ...withoutOwn(process.env), ...env },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (bytes) => {
    stdout += bytes
  })
  child.stderr.on('data', (bytes) => {
    stderr += bytes
  })
  const timer = setTimeout(() => child.kill('SIGTERM'), maxMs)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  return { code, stdout, stderr }
}

function withoutOwn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(CHATGEN_|(HTTPS?|NO|ALL)_PROXY$)/i.test(name)),
  )
}

export interface PortWait {
  readonly timeoutMs: number
  /** Pause between two tries. */
  readonly everyMs?: number
  /** Server behind the port: the wait ends with it. */
  readonly child?: ChildProcess
  /** Tests if the server is ready; by default, if it accepts connections. */
  readonly isReady?: () => Promise<boolean>
}

/** Waits for a server on a loopback port; false if it ends first, or the timeout does. */
export async function waitForPort(
  port: number,
  { timeoutMs, everyMs = 50, child, isReady = () => isListening(port) }: PortWait,
): Promise<boolean> {
  const until = performance.now() + timeoutMs
  while (!(await isReady())) {
    const isRunning = child === undefined || (child.exitCode === null && child.pid !== undefined)
    if (!isRunning || performance.now() >= until) return false
    await sleep(everyMs)
  }
  return true
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
