/** Lints /openapi.json with Redocly and Spectral; warnings fail like errors. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startReferenceServer } from '../reference-server/index.ts'
import { scriptFolder } from './options.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = join(scriptFolder('openapi'), 'openapi.json')
const server = await startReferenceServer()
writeFileSync(file, await (await fetch(`${server.url}/openapi.json`)).text())
await server.close()

const ruleset = join(root, 'reference-server/openapi/spectral.yaml')
const results = [
  run('redocly', ['lint', file, '--extends', 'recommended', '--max-problems', '1000']),
  run('spectral', ['lint', file, '--ruleset', ruleset, '--fail-severity', 'hint']),
]
process.exitCode = results.every((clean) => clean) ? 0 : 1

function run(program: string, args: readonly string[]): boolean {
  const bin = join(root, 'node_modules/.bin', program)
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { status, stdout, stderr } = spawnSync(bin, args, { encoding: 'utf8', env })
  process.stdout.write(`${program}:\n${stdout}${stderr}`)
  return status === 0 && !/\d+ warnings?\b/i.test(`${stdout}${stderr}`.replace(/\b0 warnings/g, ''))
}
