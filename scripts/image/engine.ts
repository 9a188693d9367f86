/** Programs of this machine that a script runs to their end, among them its Docker client. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root of the checkout, with a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: Buffer
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** True if the program is not installed. */
  readonly missing: boolean
}

/** Runs a program to its end. */
export function run(
  program: string,
  args: readonly string[],
  { env = {}, cwd = root, input }: RunOptions = {},
): Ended {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 1 << 28,
    ...(input === undefined ? {} : { input }),
  })
  return {
    code: status,
    stdout: stdout ?? '',
    stderr: (stderr ?? '').trim(),
    missing: error !== undefined,
  }
}

/** Standard output of a program. @throws Error with its standard error if it fails */
export function need(program: string, args: readonly string[], options: RunOptions = {}): string {
  const { code, stdout, stderr } = run(program, args, options)
  if (code === 0) return stdout
  throw new Error(`${program} ${args.slice(0, 2).join(' ')}: ${stderr}`)
}

/** Packs this package. @returns the path of the archive */
export function packedInto(folder: string, env: RunOptions['env'] = {}): string {
  const printed = need('npm', ['pack', '--silent', '--pack-destination', folder], { env })
  return join(folder, printed.trim().split('\n').at(-1) ?? '')
}

/** Reason why containers cannot run here; null if an engine answers. */
export function engineProblem(): string | null {
  const { code, stderr, missing } = run('docker', ['version', '--format', '{{.Server.Version}}'])
  if (missing) return 'docker is not installed'
  return code === 0 ? null : `no Docker engine: ${stderr.split('\n').at(-1)}`
}

/** Docker Compose, as a plugin of the client or a separate program; null if there is none. */
export function composeProgram(): readonly [string, ...string[]] | null {
  if (run('docker', ['compose', 'version']).code === 0) return ['docker', 'compose']
  return run('docker-compose', ['version']).code === 0 ? ['docker-compose'] : null
}

/** Calls `use` with the engine in a swarm; one that is in none gets one for that time. */
export async function inSwarm(use: () => Promise<void>): Promise<void> {
  const state = need('docker', ['info', '--format', '{{.Swarm.LocalNodeState}}']).trim()
  const isOwn = state !== 'active'
  if (isOwn) need('docker', ['swarm', 'init', '--advertise-addr', '127.0.0.1'])
  try {
    await use()
  } finally {
    if (isOwn) run('docker', ['swarm', 'leave', '--force'])
  }
}

/** Prints whether something holds; the process ends with 1 if anything does not. */
export function step(name: string, holds: boolean): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${name}`)
  if (!holds) process.exitCode = 1
}
