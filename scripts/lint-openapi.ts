/** Lints /openapi.json with Redocly and Spectral; warnings fail like errors. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startReferenceServer } from '../reference-server/index.ts'
import { root, run } from './image/engine.ts'
import { scriptFolder } from './options.ts'

const file = join(scriptFolder('openapi'), 'openapi.json')
const server = await startReferenceServer()
writeFileSync(file, await (await fetch(`${server.url}/openapi.json`)).text())
await server.close()

const ruleset = join(root, 'reference-server/openapi/spectral.yaml')
const results = [
  isClean('redocly', ['lint', file, '--extends', 'recommended', '--max-problems', '1000']),
  isClean('spectral', ['lint', file, '--ruleset', ruleset, '--fail-severity', 'hint']),
]
process.exitCode = results.every((clean) => clean) ? 0 : 1

function isClean(program: string, args: readonly string[]): boolean {
  const bin = join(root, 'node_modules/.bin', program)
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { code, stdout, stderr } = run(bin, args, { env })
  process.stdout.write(`${program}:\n${stdout}${stderr}`)
  return code === 0 && !/\d+ warnings?\b/i.test(`${stdout}${stderr}`.replace(/\b0 warnings/g, ''))
}
