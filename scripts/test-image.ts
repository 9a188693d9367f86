/**
 * The image on a real engine: its size, its health check, a read-only container without privileges that
 * checks a container of the server, containers as targets of the command, and shards on a Docker Swarm. Without an engine
 * it prints what it skips and exits with 0.
 *
 *   npm run test:image [-- --keep]
 */
import { chmodSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { getgid, getuid } from 'node:process'
import { conformanceReport } from '../contract/report/conformance.ts'
import { reportIn, waitUntil } from './foreign/programs.ts'
import { buildImage, removeImages } from './image/build.ts'
import { composeProgram, engineProblem, inSwarm, need, root, run, step } from './image/engine.ts'
import { testSwarm } from './image/swarm.ts'
import { testTargets } from './image/targets.ts'
import { optionsOf, scriptFolder } from './options.ts'

const values = optionsOf(import.meta, { keep: false })
const image = 'chatgen-image-test'
const network = 'chatgen-image-test'
const maxBytes = 250e6
const keys = ['sk-image-0123456789', 'sk-image-9876543210'] as const
const locked = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']

const problem = engineProblem()
if (problem !== null) {
  console.log(`skipped: the image on a real engine (${problem})`)
} else {
  const results = scriptFolder('image')
  chmodSync(results, 0o777)
  try {
    await testImage(results)
  } finally {
    run('docker', ['network', 'rm', network])
    if (!values.keep) removeImages(image)
  }
}

async function testImage(results: string): Promise<void> {
  const { base, bytes } = buildImage(image)
  console.log(`built from ${base}`)
  step(`${(bytes / 1e6).toFixed(0)} MB, at most ${maxBytes / 1e6}`, bytes <= maxBytes)
  const user = need('docker', ['image', 'inspect', '--format', '{{.Config.User}}', image]).trim()
  step(`runs as ${user}`, /^[1-9]\d*:[1-9]\d*$/.test(user))
  step('prints its help on a read-only root', container([]).stdout.startsWith('Usage: chatgen'))
  need('docker', ['network', 'create', network])
  await withServer([], () => {
    const { code, report } = check(results)
    step(`a legal server: exit code ${code}, ${report.outcome}`, code === 0)
  })
  const fault = 'v3-idempotency-forgets-answers'
  await withServer(['--fault', fault], () => {
    const { code, report } = check(results, '--only', 'V3-IDEM-*')
    const violated = report.requirements.filter(({ verdict }) => verdict === 'fail')
    const ids = violated.map(({ id }) => id).join(', ')
    step(`a server with ${fault}: exit code ${code}, ${ids}`, code === 1 && /V3-IDEM/.test(ids))
  })
  testSideBySide(results)
  await testTargets(image)
  await inSwarm(() => testSwarm(image))
}

/** deploy/compose.yaml as a user starts it, except for the image, which is already built. */
function testSideBySide(results: string): void {
  const folder = join(results, 'side-by-side')
  cpSync(join(root, 'deploy'), folder, { recursive: true })
  mkdirSync(join(folder, 'chatgen-results'))
  const [program, ...plugin] = composeProgram() ?? []
  if (program === undefined) {
    console.log('skipped: deploy/compose.yaml (Docker Compose is not installed)')
    return
  }
  const compose = (...args: string[]) =>
    run(program, [...plugin, '--file', join(folder, 'compose.yaml'), ...args], {
      env: { CHATGEN_COMPOSE_IMAGE: image, CHATGEN_USER: `${getuid?.()}:${getgid?.()}` },
    })
  const { code, stdout, stderr } = compose('up', '--no-build', '--exit-code-from', 'check')
  compose('down', '--volumes')
  if (code !== 0) console.log(`${stdout}${stderr}`)
  const outcome = () => reportIn(conformanceReport, join(folder, 'chatgen-results')).outcome
  step(`deploy/compose.yaml: exit code ${code}`, code === 0 && outcome() === 'conforms')
}

/** Checks the server in its container, from a container with another user than the image. */
function check(results: string, ...more: readonly string[]) {
  const env = { CHATGEN_API_KEY: keys[0], CHATGEN_OTHER_KEY: keys[1], CHATGEN_OUT: '/work' }
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const place = ['--network', network, '--user', '10001:10001', '--volume', `${results}:/work`]
  const target = ['--target', '/app/fixtures/targets/reference.yaml', '--depth', 'quick', '--quiet']
  const { code, stderr } = container(
    ['check', 'http://server:4010', ...target, ...more],
    [...place, ...variables],
  )
  if (code !== 0 && code !== 1) console.log(stderr)
  return { code, report: reportIn(conformanceReport, results) }
}

async function withServer(flags: readonly string[], use: () => void): Promise<void> {
  const place = ['--detach', '--rm', '--network', network, '--network-alias', 'server']
  const id = need('docker', [
    ...['run', ...locked, ...place, '--env', `CHATGEN_KEY=${keys.join(',')}`, image, 'serve'],
    ...flags,
  ]).trim()
  try {
    const inspect = ['inspect', '--format', '{{.State.Health.Status}}', id]
    const state = () => need('docker', inspect).trim()
    await waitUntil(() => state() !== 'starting', 60_000)
    step(`serve ${flags.join(' ')} becomes healthy`, state() === 'healthy')
    use()
  } finally {
    need('docker', ['stop', id])
  }
}

function container(args: readonly string[], flags: readonly string[] = []) {
  return run('docker', ['run', '--rm', ...locked, ...flags, image, ...args])
}
