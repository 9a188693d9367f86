import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conformanceReport } from '../../contract/report/conformance.ts'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { type NpmServer, npmServers, startPrefixProxy } from './npm-servers.ts'
import { chatgen, startProgram } from './programs.ts'

export interface ServerResult {
  readonly name: string
  readonly reported: string
  readonly problems: readonly string[]
}

/** Installs the servers and runs the checks; null where the registry cannot be had. */
export async function tryServers(
  folder: string,
  { key, upstream }: { readonly key: string; readonly upstream: number },
): Promise<readonly ServerResult[] | null> {
  const selected = npmServers.filter(({ skipped }) => skipped === undefined)
  for (const { name, skipped } of npmServers) {
    if (skipped !== undefined) console.log(`SKIPPED, ${name}: ${skipped}`)
  }
  if (!install(folder, selected)) return null
  const results: ServerResult[] = []
  for (const server of selected) results.push(await tried(server))
  return results

  async function tried(server: NpmServer): Promise<ServerResult> {
    const port = await freePort()
    const own = join(folder, server.name.replaceAll('/', '-'))
    const place = { modules: join(folder, 'node_modules'), port, key, upstream }
    const program = await startProgram(own, port, server.start(place))
    const proxy = await startPrefixProxy(port, server.prefix)
    try {
      const address = proxy.address()
      const proxyPort = typeof address === 'object' ? address?.port : undefined
      const profile = join(own, 'target.json')
      const baseUrl = `http://127.0.0.1:${proxyPort}`
      const models = { main: server.model, aliases: [] }
      const headers = server.headers?.(place) ?? {}
      const limits = { timeoutMs: 10_000 }
      writeFileSync(profile, JSON.stringify({ baseUrl, models, headers, limits }))
      const out = join(own, 'check')
      const args = ['check', '--target', profile, '--profile', 'openai', '--out', out]
      const run = await chatgen(args, { CHATGEN_API_KEY: key })
      writeFileSync(join(own, 'stdout.txt'), run.stdout + run.stderr)
      const text = readFileSync(join(out, 'report.json'), 'utf8')
      const { requirements } = conformanceReport.parse(JSON.parse(text))
      const idsOf = (expected: string) =>
        requirements.filter(({ verdict }) => verdict === expected).map(({ id }) => id)
      const [violated, warned] = [idsOf('fail'), idsOf('warn')]
      return {
        name: `${server.name} ${server.version}`,
        reported: `${violated.length} violated, ${warned.length} warned, exit code ${run.code}`,
        problems: [
          ...difference('violated', server.violated, violated),
          ...difference('warned', server.warned, warned),
          ...(run.code === 1 ? [] : [`chatgen check ended with ${run.code}`]),
        ],
      }
    } finally {
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, 'close')
      await program.stop()
    }
  }
}

function difference(what: string, is: readonly string[], reported: readonly string[]): string[] {
  const falsely = reported.filter((id) => !is.includes(id))
  const missed = is.filter((id) => !reported.includes(id))
  return [
    ...(falsely.length === 0 ? [] : [`falsely ${what}: ${falsely.join(' ')}`]),
    ...(missed.length === 0 ? [] : [`missed, ${what} in truth: ${missed.join(' ')}`]),
  ]
}

/** Installs servers without running their install scripts. */
function install(folder: string, servers: readonly NpmServer[]): boolean {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const packages = servers.map(({ name, version }) => `${name}@${version}`)
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages],
    { cwd: folder, timeout: 180_000 },
  )
  if (status !== 0) console.log(`SKIPPED, npm installed nothing: ${String(stderr).trim()}`)
  return status === 0
}
