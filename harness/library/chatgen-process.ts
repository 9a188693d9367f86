/** Commands in a separate process: the caller does not load their modules, or share its vitest with them. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import type { targetProfile } from '../conformance/profile/schema.ts'

/** A run that ended without a report. */
export class ChatgenError extends Error {
  override readonly name = 'ChatgenError'
  /** Exit code of the command: 2 configuration, 3 target unusable, 4 internal error. */
  readonly exitCode: number | null

  constructor(message: string, code: number | null) {
    super(message)
    this.exitCode = code
  }
}

export interface ProcessOptions {
  /** Interrupts the run. */
  readonly signal?: AbortSignal | undefined
  /** Folder that keeps the report and the evidence; by default they are removed. */
  readonly outDir?: string | undefined
}

/** Flags by name without dashes; a list repeats the flag. */
export type Flags = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

/**
 * Runs a command against a target and reads its report.
 *
 * @throws ChatgenError without a report; the reason of the signal if it is aborted
 */
export async function reportOf(
  command: 'check' | 'load',
  target: string | Target,
  flags: Flags,
  { signal, outDir }: ProcessOptions,
): Promise<unknown> {
  signal?.throwIfAborted()
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-run-'))
  const out = outDir ?? join(folder, 'results')
  try {
    const { args, env } = targetArguments(target, folder)
    const all = [command, ...args, ...argumentsOf({ ...flags, out, report: 'json', quiet: true })]
    const { code, output } = await ended(all, env, signal)
    signal?.throwIfAborted()
    if (!withReport.has(code)) throw new ChatgenError(output.trim(), code)
    return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Exit codes of runs that decided: conforming, violated, undecided, invalid measurement. */
const withReport: ReadonlySet<number | null> = new Set([0, 1, 5, 6])

interface TargetArguments {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const keyMembers = ['apiKey', 'compatKey', 'nativeToken', 'otherKey'] as const

/** Keys and headers are passed in the environment, so that no file holds them. */
function targetArguments(target: string | Target, folder: string): TargetArguments {
  if (typeof target === 'string') return { args: [target], env: {} }
  const env: Record<string, string> = {}
  const hidden = (value: string) => {
    const name = `CHATGEN_LIBRARY_${Object.keys(env).length + 1}_KEY`
    env[name] = value
    return `\${${name}}`
  }
  const keys = keyMembers.flatMap((member) => {
    const value = target[member]
    return value === undefined ? [] : [[member, hidden(value)]]
  })
  const headers = Object.entries(target.headers ?? {}).map(([name, value]) => [name, hidden(value)])
  const profile = {
    ...target,
    ...Object.fromEntries(keys),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  }
  const file = join(folder, 'target.json')
  writeFileSync(file, JSON.stringify(profile), { mode: 0o600 })
  return { args: ['--target', file], env }
}

function argumentsOf(flags: Flags): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return []
    if (value === true) return [`--${name}`]
    const values: readonly (string | number)[] = Array.isArray(value) ? value : [value]
    return values.map((one) => `--${name}=${one}`)
  })
}

const isBuilt = import.meta.url.endsWith('.js')
/** Program of this package. */
export const chatgenBin = fileURLToPath(
  new URL(`${isBuilt ? '../' : ''}../../bin/chatgen.cjs`, import.meta.url),
)
const maxOutputLength = 20_000

function ended(
  args: readonly string[],
  env: TargetArguments['env'],
  signal: AbortSignal | undefined,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [chatgenBin, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...inheritedEnvironment(), ...env },
  })
  const interrupt = () => child.kill('SIGINT')
  signal?.addEventListener('abort', interrupt, { once: true })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = `${output}${text}`.slice(-maxOutputLength)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      signal?.removeEventListener('abort', interrupt)
      resolve({ code, output })
    })
  })
}

/** Removes variables of chatgen and the test runner: flags come from options alone. */
function inheritedEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      name === 'CHATGEN_API_KEY' || !/^(CHATGEN_|VITEST|NODE_ENV$|NODE_OPTIONS$)/.test(name),
  )
  return Object.fromEntries(kept)
}

/** A target profile, as in the file of `chatgen check --target`; all fields but `baseUrl` are optional. */
export interface Target extends z.input<typeof targetProfile> {}

/** Returns the target unchanged; lets an editor check and complete its fields. */
export function defineTarget(target: Target): Target {
  return target
}
