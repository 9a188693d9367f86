import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'
import { conformanceReport } from '../../contract/report/conformance.ts'
import { slugOf } from '../../contract/text.ts'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import {
  chatgen,
  filled,
  type Program,
  reportIn,
  type Start,
  startProgram,
} from '../foreign/programs.ts'

/** Third-party servers with a compatible surface, and known facts about them: servers.yaml. */
const file = new URL('servers.yaml', import.meta.url)
const ids = z.array(z.string()).default([])
const server = z.strictObject({
  name: z.string(),
  version: z.string(),
  npm: z.boolean().default(false),
  packages: z.array(z.string()),
  about: z.string(),
  model: z.string(),
  behind: z.string().optional(),
  command: z.array(z.string()),
  files: z
    .record(
      z.string(),
      z.unknown().transform((json) => JSON.stringify(json)),
    )
    .default({}),
  env: z.record(z.string(), z.string()).default({}),
  violated: ids,
  warned: ids,
  sometimes: ids,
})
export type ForeignServer = z.output<typeof server>

export const { servers, notRun } = z
  .object({ servers: z.array(server), notRun: z.record(z.string(), z.string()) })
  .parse(parse(readFileSync(file, 'utf8')))

/** Startup time: engines load a model, Python programs their libraries. */
const patienceMs = 90_000

/** Fills in the placeholders of a server. */
function startOf(
  { command, files, env }: ForeignServer,
  place: Readonly<Record<'bin' | 'run' | 'port' | 'key' | 'upstream', string>>,
): Start {
  const scripts = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')
  const fill = (text: string) => filled(text, { ...place, scripts, node: process.execPath })
  const fillAll = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]))
  return { command: command.map(fill), files: fillAll(files), env: fillAll(env), patienceMs }
}

/** Folder of all servers, and their API key. */
export type Place = Readonly<Record<'root' | 'key', string>>

export interface RunningServer extends Program {
  readonly url: string
}

/**
 * Installs a server.
 * @returns the folder of its modules or programs; null if its registry does not have it
 */
function install({ name, npm, packages }: ForeignServer, root: string): string | null {
  const folder = join(root, slugOf(name))
  mkdirSync(folder, { recursive: true })
  const run = (program: string, ...args: readonly string[]) =>
    spawnSync(program, args, { cwd: folder, timeout: installMs }).status === 0
  if (npm) {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    return run('npm', 'install', ...quiet, ...packages) ? join(folder, 'node_modules') : null
  }
  const bin = join(folder, 'venv', 'bin')
  const isInstalled =
    run('python3', '-m', 'venv', 'venv') &&
    run(join(bin, 'pip'), 'install', '--quiet', '--only-binary', ':all:', ...packages)
  return isInstalled ? bin : null
}

const installMs = 600_000

/** Starts a server, after the one that it forwards to. */
export async function startServer(
  server: ForeignServer,
  { root, key }: Place,
): Promise<RunningServer | null> {
  const bin = install(server, root)
  if (bin === null) return null
  const behind = servers.find(({ name }) => name === server.behind)
  const upstream = behind === undefined ? undefined : await startServer(behind, { root, key })
  if (upstream === null) return null
  const port = await freePort()
  const run = join(root, slugOf(server.name), 'run')
  const place = { bin, run, port: String(port), key, upstream: upstream?.url ?? '' }
  try {
    const program = await startProgram(run, port, startOf(server, place))
    return {
      url: `http://127.0.0.1:${port}`,
      output: () => program.output(),
      stop: async () => {
        await program.stop()
        await upstream?.stop()
      },
    }
  } catch (error) {
    await upstream?.stop()
    throw error
  }
}

export type Tried = Awaited<ReturnType<typeof checkServer>>

/** Checks a server with `--profile wire`. @returns problems: false accusations, and violations that were missed */
export async function checkServer(
  server: ForeignServer,
  { url }: RunningServer,
  { root, key }: Place,
) {
  const folder = join(root, slugOf(server.name))
  const out = join(folder, 'check')
  const profile = join(folder, 'target.json')
  const models = { main: server.model, aliases: [] }
  const limits = { timeoutMs: 30_000 }
  writeFileSync(
    profile,
    JSON.stringify({ baseUrl: url, prefixes: { openai: '/v1' }, models, limits }),
  )
  const args = ['check', '--target', profile, '--profile', 'wire', '--seed', 'field', '--out', out]
  const run = await chatgen(args, { CHATGEN_API_KEY: key }, 300_000)
  writeFileSync(join(folder, 'check.txt'), run.stdout + run.stderr)
  const report = reportIn(conformanceReport, out)
  const idsOf = (verdictName: string) =>
    report.requirements.filter(({ verdict }) => verdict === verdictName).map(({ id }) => id)
  const reported = [...idsOf('fail'), ...idsOf('warn')]
  const expected = [...server.violated, ...server.warned]
  const problems = [
    ...reported
      .filter((id) => ![...expected, ...server.sometimes].includes(id))
      .map((id) => `falsely: ${id}`),
    ...expected.filter((id) => !reported.includes(id)).map((id) => `missed: ${id}`),
    ...idsOf('fail')
      .filter((id) => server.warned.includes(id))
      .map((id) => `not required: ${id}`),
  ]
  return { server, report, problems }
}
