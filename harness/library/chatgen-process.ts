/** Commands in a separate process: the caller does not load their modules, or share its vitest with them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import type { LoadReport } from '../../reports/load/model/report.ts'
import { environmentWithout } from '../conformance/process.ts'
import type { targetProfile } from '../conformance/profile/schema.ts'
import { temporaryFolder } from '../conformance/recording/result-files.ts'

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
  /** Accepts keys of fewer than 8 characters, which cannot be removed from the evidence. */
  readonly allowShortKey?: boolean
}

/** Flags by name, in camel case; a list repeats the flag. */
type Flags = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/**
 * Runs a command against a target and reads its report.
 * @throws ChatgenError without a report; the reason of the signal if it is aborted
 */
async function reportOf(
  command: 'check' | 'load',
  target: string | Target,
  flags: Flags,
  { signal, outDir }: ProcessOptions,
): Promise<unknown> {
  signal?.throwIfAborted()
  const folder = temporaryFolder('run')
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

/** Keys and headers are passed in the environment, so that no file holds them. */
function targetArguments(target: string | Target, folder: string) {
  if (typeof target === 'string') return { args: [target], env: {} }
  const env: Record<string, string> = {}
  const hidden = (values: Readonly<Record<string, string | undefined>>) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([member, value]) => {
        if (value === undefined) return []
        const name = `CHATGEN_LIBRARY_${Object.keys(env).length + 1}_KEY`
        env[name] = value
        return [[member, `\${${name}}`]]
      }),
    )
  const { apiKey, compatKey, nativeToken, otherKey, headers, ...others } = target
  const keys = hidden({ apiKey, compatKey, nativeToken, otherKey })
  const file = join(folder, 'target.json')
  const profile = { ...others, ...keys, headers: headers && hidden(headers) }
  writeFileSync(file, JSON.stringify(profile), { mode: 0o600 })
  return { args: ['--target', file], env }
}

function argumentsOf(flags: Flags): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return []
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (value === true) return [flag]
    const values: readonly (string | number)[] = Array.isArray(value) ? value : [value]
    return values.map((one) => `${flag}=${one}`)
  })
}

const isBuilt = import.meta.url.endsWith('.js')
/** Program of this package. */
export const chatgenBin = fileURLToPath(
  new URL(`${isBuilt ? '../' : ''}../../bin/chatgen.cjs`, import.meta.url),
)
const maxOutputLength = 20_000

async function ended(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
) {
  const child = spawn(process.execPath, [chatgenBin, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...environmentWithout(notInherited), ...env },
  })
  const interrupt = () => child.kill('SIGINT')
  signal?.addEventListener('abort', interrupt, { once: true })
  const [[code], output] = await Promise.all([once(child, 'close'), text(child.stderr)])
  signal?.removeEventListener('abort', interrupt)
  return { code: code as number | null, output: output.slice(-maxOutputLength) }
}

/** Variables of chatgen and the test runner: flags come from options alone. */
const notInherited = /^(CHATGEN_(?!API_KEY$)|VITEST|NODE_ENV$|NODE_OPTIONS$)/

/** A target profile, as in the file of `chatgen check --target`; all fields but `baseUrl` are optional. */
export interface Target extends z.input<typeof targetProfile> {}

/** Returns the target unchanged; lets an editor check and complete its fields. */
export function defineTarget(target: Target): Target {
  return target
}

/** Options of `chatgen check`. */
export interface ConformanceOptions extends ProcessOptions {
  /** Surfaces to check. Default `full`. */
  readonly profile?: 'openai' | 'v2' | 'v3' | 'full' | 'wire'
  /** Globs of requirement ids, areas or titles. Default: all. */
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  /** Number of concurrent scenarios. Default 4. */
  readonly jobs?: number
  readonly maxRequests?: number
  /** Seed of generated names and nonces. */
  readonly seed?: string
  /** Counts warnings as violations. */
  readonly strict?: boolean
}

/**
 * Checks a deployment against the requirements of the interface.
 * @param target profile of the deployment; for a URL alone, the rest is detected, and the API key is that of
 * CHATGEN_API_KEY
 * @throws ChatgenError if there is no report: wrong options, a target that does not answer
 */
export async function runConformance(
  target: string | Target,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const { signal, outDir, ...flags } = options
  const { conformanceReport } = await import('../../contract/report/conformance.ts')
  return conformanceReport.parse(await reportOf('check', target, flags, { signal, outDir }))
}

/** Options of `chatgen load`; one of `rate`, `concurrency` and `ramp` is required. */
export interface LoadOptions extends ProcessOptions {
  /** Transactions per second (open loop). */
  readonly rate?: number
  /** Transactions in flight (closed loop). */
  readonly concurrency?: number
  /** Rates such as `0..100/60s`. */
  readonly ramp?: string
  readonly arrival?: 'poisson' | 'constant'
  /** Time such as `30s`. */
  readonly duration?: string
  /** Name or file of a mix. */
  readonly mix?: string
  readonly surface?: 'openai' | 'v2' | 'v3'
  /** Expressions such as `ttft.p95 < 500ms`. */
  readonly slos?: readonly string[]
  readonly seed?: string
  readonly workers?: number
}

/**
 * Runs a load test that validates every response.
 * @throws ChatgenError if there is no report: wrong options, a target that does not answer
 */
export async function runLoad(target: string | Target, options: LoadOptions): Promise<LoadReport> {
  const { signal, outDir, slos, ...flags } = options
  const { loadReport } = await import('../../reports/load/model/report.ts')
  return loadReport.parse(
    await reportOf('load', target, { ...flags, slo: slos }, { signal, outDir }),
  )
}
