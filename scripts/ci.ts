/**
 * `npm run ci`: the steps of CI in two lanes, with a table of their times. The steps of the first lane
 * need both cores or are sensitive to load; those of the second mostly wait for other programs, or do
 * not depend on speed.
 *
 *   npm run ci [-- --only GLOB]
 *
 * Ends with 1 if a step fails; excerpts of the failed steps are printed before the table.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { matchesGlob } from '../contract/text.ts'
import { depths } from '../harness/conformance/run-setup.ts'
import { optionsOf } from './options.ts'

interface Step {
  readonly name: string
  readonly command: string
}

type Ended = Awaited<ReturnType<typeof run>>

const values = optionsOf(import.meta, { only: '*' })
const seed = seedOfCommit()

/** Slow tests of the second lane, which do not depend on speed; other files are tested in the first one. */
const untimed = [
  'harness/cli/action',
  'harness/cli/certification/certification',
  'harness/cli/certification/signed-again',
  'harness/cli/documentation',
  'harness/cli/openapi-answers',
  'harness/cli/results/redaction',
  'harness/cli/results/results-folder',
  'harness/cli/results/stored',
  'harness/explore/explore',
  'harness/proof/accusations',
  'harness/proof/certified/certified',
  'harness/proof/curl-replay',
  'harness/proof/wanted-members',
].map((name) => `${name}.slow.test.ts`)
for (const file of untimed) accessSync(file)
const slowTests = 'npm run test:slow'

const first: readonly Step[] = [
  { name: 'style, types, imports, words, sizes, dead code', command: 'npm run check' },
  ...readmeTests(),
  { name: 'reports in a browser', command: 'npm run test:browser' },
  {
    name: 'proof, a sample, and generated faults at each depth',
    command: `npm run prove -- --processes 6 --sample 300 --generated 25 --dialects 10 --depth ${depths.join(',')} --seed ${seed}`,
  },
]
const second: readonly Step[] = [
  { name: 'OpenAPI document under Redocly and Spectral', command: 'npm run lint:openapi' },
  { name: 'package on Node 22, 24 and 26', command: 'npm run test:package' },
  { name: 'image on a real engine', command: 'npm run test:image' },
  { name: 'replicas that are killed under load', command: 'npm run replicas -- --seconds 40' },
  { name: 'proxies of others in front of the reference server', command: 'npm run foreign' },
  {
    name: 'slow tests that do not depend on speed',
    command: `npx vitest run --maxWorkers 2 ${untimed.join(' ')}`,
  },
]

const ended = (await Promise.all([runLane(first, true), runLane(second, false)])).flat()
const failed = ended.filter(({ code }) => code !== 0)
for (const step of failed) console.log(excerptOf(step))
for (const { name, seconds } of ended) console.log(`${seconds.toFixed(0).padStart(6)} s  ${name}`)
console.log(`${ended.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length === 0 && ended.length > 0 ? 0 : 1

async function runLane(steps: readonly Step[], isLive: boolean): Promise<readonly Ended[]> {
  const results: Ended[] = []
  for (const step of steps.filter(({ name }) => matchesGlob(name, values.only))) {
    if (isLive) console.log(`== ${step.name}`)
    const result = await run(step, isLive)
    if (!isLive) process.stdout.write(`== ${step.name}\n${result.output}`)
    if (result.code !== 0) console.log(`!! ${step.name} failed`)
    results.push(result)
  }
  return results
}

async function run(step: Step, isLive: boolean) {
  const startedAt = Date.now()
  const child = spawn('bash', ['-c', `exec 2>&1; ${step.command}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => {
    parts.push(part)
    if (isLive) process.stdout.write(part)
  })
  const [code]: (number | null)[] = await once(child, 'close')
  const seconds = (Date.now() - startedAt) / 1000
  return { ...step, code, seconds, output: Buffer.concat(parts).toString() }
}

/** The test commands of the README, without tests of the second lane; `npm ci` has run when this script starts. */
function readmeTests(): readonly Step[] {
  const block = /<!-- tests -->\n```sh\n([^`]+)```/.exec(readFileSync('README.md', 'utf8'))?.[1]
  const commands = (block ?? '').split('\n').map((line) => line.replace(/#.*/, '').trim())
  const tests = commands.filter((command) => command !== '' && command !== 'npm ci')
  if (!tests.some((command) => command.endsWith('npm test')) || !tests.includes(slowTests))
    throw new Error('README.md lacks a test command below <!-- tests -->')
  const others = untimed.map((file) => ` --exclude ${file}`).join('')
  return tests.map((command) => ({
    name: command,
    command: command.replace('npm ci && ', '').replace(slowTests, `${slowTests} --${others}`),
  }))
}

/** Samples differ from commit to commit, and are the same for one commit. */
function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' })
  return Number.parseInt(stdout.trim() || '1', 16)
}

/** Failures and last lines of a step, without lines of progress such as `12/1407 fault-name (900 ms): V3-SSE-01`. */
function excerptOf({ name, output }: Ended): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => !/^\d+\/\d+ /.test(line))
  const isFailure = (line: string) => /^ *(FAIL|×|✗|!!)|[Ee]rror|expected/.test(line)
  const near = lines.filter((_, at) => lines.slice(Math.max(0, at - 12), at + 1).some(isFailure))
  const last = lines.slice(-12)
  return [`!! ${name} failed:`, ...near.slice(-80), '-- its last lines:', ...last].join('\n')
}
