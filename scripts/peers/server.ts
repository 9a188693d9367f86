/** The paced server in a process of its own: written in Go, so that it shares nothing with the programs that it times. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childServer } from '../../harness/load/child-server.ts'
import type { LoggedStream } from './truth.ts'

/** Bounds of uniform times, milliseconds: quantiles of few requests are then close to each other. */
export const pace = { ttft: [150, 250], gap: [10, 30] } as const

export interface PacedServer {
  readonly program: string
  /** Names of what it can do wrong, and `none`. */
  readonly faults: readonly string[]
}

/** Compiles the server. @returns null without Go */
export function buildServer(folder: string): PacedServer | null {
  const program = join(folder, 'paced-server')
  const source = fileURLToPath(new URL('paced-server.go', import.meta.url))
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  const build = spawnSync('go', ['build', '-o', program, source], { env, encoding: 'utf8' })
  if (build.error !== undefined) return null
  if (build.status !== 0) throw new Error(build.stderr)
  const { stdout } = spawnSync(program, { encoding: 'utf8' })
  return { program, faults: stdout.trim().split('\n') }
}

export interface Conduct {
  /** Texts of each answer. */
  readonly tokens: number
  readonly fault: string
  /** Nothing is written between these two times after the first request, milliseconds. */
  readonly freeze: readonly [from: number, to: number]
}

/** Runs the server on the first CPU for the time of `use`; returns its log. */
export async function withServer(
  { program }: PacedServer,
  conduct: Conduct & { readonly folder: string; readonly pinned: readonly string[] },
  use: (url: string) => Promise<void>,
): Promise<readonly LoggedStream[]> {
  const log = join(conduct.folder, 'server.ndjson')
  const { tokens, fault, freeze, pinned } = conduct
  const [file = program, ...args] = [...pinned, program]
  const options = JSON.stringify({ ...pace, tokens, fault, freeze, log })
  const server = await childServer([...args, options], { program: file })
  try {
    await use(server.url)
  } finally {
    await server.stop()
  }
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
  return lines.map((line): LoggedStream => JSON.parse(line))
}
