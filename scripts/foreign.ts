/**
 * `chatgen check` and a short `chatgen load` against the bundled server behind third-party software: compares
 * their results with the truth. Ends with 1 if a legal front is accused, or a broken one is not.
 *
 *   node scripts/foreign.ts [--only GLOB] [--parallel N] [--keep]
 *
 * Needs nginx, haproxy, caddy, apache2, varnish, lighttpd and openssl; prints which are missing.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { conformanceReport } from '../contract/report/conformance.ts'
import { messageOf, slugOf } from '../contract/text.ts'
import type { ChildServer } from '../harness/load/child-server.ts'
import { mapConcurrently } from '../harness/load/clock.ts'
import { freePort } from '../reference-server/test-support/free-port.ts'
import {
  fronts as allFronts,
  delivery,
  difference,
  type Front,
  type Pace,
  type Place,
  paces,
  startOf,
  untruths,
  untruthsOfLoad,
  type Verdicts,
} from './foreign/front.ts'
import {
  chatgen,
  isInstalled,
  type Program,
  type Run,
  reportIn,
  serve,
  startProgram,
} from './foreign/programs.ts'
import { need } from './image/engine.ts'
import { isAmong, none, optionsOf, scriptFolder } from './options.ts'

/** A check mostly waits for streams, one after another, at the pace of the server. */
const values = optionsOf(import.meta, { only: none, parallel: 3, keep: false })

/** Requirements that a hop between two machines can break, or be blamed for. */
const rows = [
  ...['OAI-MODELS-01', 'OAI-AUTH-01', 'OAI-CHAT-*', 'OAI-STREAM-*', 'OAI-ERR-01'],
  ...['V3-SSE-*', 'V3-THINK-01', 'V3-ONE-01', 'V3-IDEM-01', 'V3-AUTH-01', 'V2-MSG-01', 'VER-0*'],
]

const maxRepeats = 8
/** The short load. */
const plan = ['--rate', '10', '--duration', '6s', '--mix', 'openai-stream', '--seed', '1']

const folder = values.keep
  ? mkdtempSync(join(tmpdir(), 'chatgen-foreign-'))
  : scriptFolder('foreign')
const key = `sk-${randomBytes(18).toString('base64url')}`
const servers = new Map<Pace, ChildServer>()
const fronts = allFronts.filter(({ name }) => isAmong(name, values.only))
const missing = [...new Set(fronts.map(({ program }) => program))].filter(
  (program) => !isInstalled(program),
)
const present = fronts.filter(({ program }) => !missing.includes(program))
const profile = writeProfile()
const certificate = makeCertificate()

try {
  for (const [pace, text] of Object.entries(paces)) {
    servers.set(pace as Pace, await serve('--key', key, '--pace', text))
  }
  await runFronts()
} finally {
  for (const server of servers.values()) await server.stop()
  if (values.keep) console.log(`Kept: ${folder}`)
}

async function runFronts(): Promise<void> {
  const startedAt = Date.now()
  const alone = await checkedOnTime(servers.get('steady')?.url ?? '', join(folder, 'direct'))
  if (alone.run.code !== 0 && alone.run.code !== 5)
    throw new Error(`the bundled server alone ends with ${alone.run.code}: ${alone.run.stderr}`)
  const direct = alone.verdicts
  const results = await mapConcurrently(present, values.parallel, (front) => tried(front, direct))
  console.log(tableOf(results))
  for (const program of missing) {
    const skipped = fronts.filter((front) => front.program === program).map(({ name }) => name)
    console.log(`SKIPPED, ${program} is not installed: ${skipped.join('; ')}`)
  }
  const wrong = results.filter(({ problems }) => problems.length > 0)
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(
    `${results.length} fronts in ${seconds} s: ${results.length - wrong.length} as is true, ${wrong.length} not`,
  )
  process.exitCode = wrong.length > 0 || results.length === 0 ? 1 : 0
}

async function tried(front: Front, direct: Verdicts) {
  const slug = slugOf(front.name)
  const own = join(folder, slug)
  const [port, innerPort] = [await freePort(), await freePort()]
  const portOf = (pace: Pace) => Number(new URL(servers.get(pace)?.url ?? 'http://x:1').port)
  const upstream = { steady: portOf('steady'), jittery: portOf('jittery') }
  const place: Place = { folder: own, port, innerPort, upstream, certificate }
  const url = `${front.scheme}://127.0.0.1:${port}${front.path}`
  let program: Program | undefined
  try {
    program = await startProgram(own, port, startOf(front, place))
    const { run: check, verdicts } = await checkedOnTime(url, join(own, 'check'), front)
    const load = front.load && (await run('load', url, join(own, 'load'), plan))
    return {
      front,
      reported: difference(direct, verdicts),
      problems: [
        ...untruths(front, direct, verdicts, check, program.output()),
        ...(load === undefined ? [] : untruthsOfLoad(front, load)),
      ],
    }
  } catch (error) {
    return { front, reported: '-', problems: [messageOf(error)] }
  } finally {
    await program?.stop()
  }
}

/** Tests delivery again if a late machine left it undecided, which says nothing about a front. */
async function checkedOnTime(url: string, out: string, truth?: Front) {
  const lumpy = truth?.warnedOneOf ?? []
  const first = await checked(url, out, rows)
  const verdicts = new Map(verdictsIn(out))
  const isLate = () =>
    delivery.some((id) => !lumpy.includes(id) && verdicts.get(id) === 'inconclusive') ||
    (lumpy.length > 0 && !lumpy.some((id) => verdicts.get(id) === 'warn'))
  for (let repeat = 1; repeat <= maxRepeats && isLate(); repeat++) {
    const again = `${out}-${repeat}`
    await checked(url, again, delivery)
    for (const [id, verdict] of verdictsIn(again)) verdicts.set(id, verdict)
  }
  return { run: first, verdicts }
}

function checked(url: string, out: string, ids: readonly string[]): Promise<Run> {
  const only = ids.flatMap((id) => ['--only', id])
  return run('check', url, out, ['--jobs', '8', '--depth', 'quick', ...only])
}

async function run(command: string, url: string, out: string, flags: readonly string[]) {
  const trust = url.startsWith('https:') ? ['--ca', certificate.cert] : []
  const args = [command, url, '--target', profile, '--out', out, ...flags, ...trust]
  const ended = await chatgen(args, { CHATGEN_API_KEY: key }, 300_000)
  if (values.keep) {
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, 'stdout.txt'), ended.stdout)
    writeFileSync(join(out, 'stderr.txt'), ended.stderr)
  }
  return ended
}

function verdictsIn(out: string): Verdicts {
  const { requirements } = reportIn(conformanceReport, out)
  return new Map(requirements.map(({ id, verdict }) => [id, verdict]))
}

/** The example profile without the other key. */
function writeProfile(): string {
  const example = new URL('../fixtures/targets/reference.yaml', import.meta.url)
  const { otherKey: _, ...rest } = parse(readFileSync(example, 'utf8'))
  const file = join(folder, 'target.yaml')
  writeFileSync(file, stringify(rest))
  return file
}

function makeCertificate(): Place['certificate'] {
  const at = (name: string) => join(folder, `${name}.pem`)
  const files = { cert: at('cert'), key: at('key'), both: at('both') }
  need('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', files.key, '-out', files.cert],
  ])
  writeFileSync(files.both, readFileSync(files.cert, 'utf8') + readFileSync(files.key, 'utf8'))
  return files
}

function tableOf(results: readonly Awaited<ReturnType<typeof tried>>[]): string {
  const name = Math.max(...results.map(({ front }) => front.name.length))
  return results
    .flatMap(({ front, reported, problems }) => [
      `${problems.length === 0 ? 'ok   ' : 'WRONG'} ${front.name.padEnd(name)}  actual:   ${front.is}`,
      `      ${''.padEnd(name)}  reported: ${reported}`,
      ...problems.map((problem) => `      ${''.padEnd(name)}  !! ${problem}`),
    ])
    .join('\n')
}
