/** Containers as targets: their messages, and their complete removal. */
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil } from '../foreign/programs.ts'
import { scriptFolder } from '../options.ts'
import { composeProgram, need, root, run, step } from './engine.ts'

const server = 'chatgen-image-test:server'
const keys = 'sk-target-0123456789,sk-target-9876543210'
const environment = {
  CHATGEN_API_KEY: 'sk-target-0123456789',
  CHATGEN_OTHER_KEY: 'sk-target-9876543210',
  SERVER_KEYS: keys,
}
const one = ['--profile', 'openai', '--only', 'OAI-MODELS-01']
const start = ['--image', server, '--port', '4010', '--ready', '/healthz']
const fault = 'openai.models: the list is empty'

/** @param ofChatgen the image of chatgen, whose server is the target */
export async function testTargets(ofChatgen: string): Promise<void> {
  // With a volume, which must be removed too.
  need('docker', ['build', '--tag', server, '-'], {
    input: Buffer.from(`FROM ${ofChatgen}\nVOLUME /data\nCMD ["serve", "--log", "json"]\n`),
    env: { DOCKER_BUILDKIT: '0' },
  })
  const folder = scriptFolder('targets')
  const before = everything()
  const unchanged = () => everything() === before
  const tried: Tried = (name, args, codes, says = /(?:)/) => {
    const { code, stdout, stderr } = chatgen(args)
    // A report is on stdout; a run without one says why on stderr.
    const isExpected =
      codes.includes(code ?? -1) && says.test(code === 0 || code === 1 ? stdout : stderr)
    if (!isExpected) console.log(stderr)
    step(`${name}: exit code ${code} ${stderr.split('\n')[0]}`, isExpected && unchanged())
    return stdout
  }
  const env = ['--env', `CHATGEN_KEY=${keys}`]
  const out = ['--out', join(folder, 'results')]
  const target = [...start, ...env]
  try {
    tried('check --image', ['check', ...target, ...one, ...out], [0])
    const { digest } = reportIn(folder).target.container
    step(`its report names ${digest}`, /^sha256:/.test(digest))

    const faulty = ['--env', `CHATGEN_FAULT=${fault}`]
    const log = /Last output of the container.*"url\.path"/s
    const text = tried('a fault', ['check', ...target, ...faulty, ...one, ...out], [1], log)
    step('no key in its output', !text.includes('sk-target'))

    const rate = ['--rate', '5', '--duration', '3s', '--surface', 'openai', '--quiet']
    tried('load --image', ['load', ...target, ...rate, ...out], [0, 6])
    const { image } = reportIn(folder).target.container
    step(`its report names ${image}`, image === server)

    const search = ['--min', '2', '--max', '8', '--probe', '2s', '--slo', 'ttft.p95 < 5s']
    const surface = ['--surface', 'openai', '--budget', '15s', '--quiet']
    // Decided, undecided or invalid, depending on the machine.
    tried('capacity --image', ['capacity', ...target, ...search, ...surface, ...out], [0, 1, 5, 6])

    const program = ['--profile', 'openai', '--challenge', 'image-test-4711-0815']
    const profile = ['--target', join(root, 'fixtures/targets/reference.yaml')]
    tried(
      'certify --image',
      ['certify', ...target, ...program, ...profile, ...signing(folder)],
      [0],
    )

    const code = await interrupted('SIGINT', [...target, ...out])
    step(`Ctrl-C: exit code ${code}`, code === 130 && unchanged())
    await interrupted('SIGKILL', [...target, ...out])
    step('kill -9 leaves a container', !unchanged())
    tried('chatgen cleanup --containers removes it', ['cleanup', '--containers'], [0])
    await interrupted('SIGKILL', [...target, ...out])
    tried('and so does the next run', ['check', ...target, ...one, ...out], [0])

    for (const [place, code, sentence] of absences(ofChatgen)) {
      tried('a target that does not start', ['check', ...place, ...one, ...out], [code], sentence)
    }
    await testCompose(folder, unchanged, tried)
  } finally {
    run('docker', ['image', 'rm', '--force', server])
  }
}

/** Runs chatgen, which has to end with one of the codes, to say something, and to leave nothing. @returns its output */
type Tried = (
  name: string,
  args: readonly string[],
  codes: readonly number[],
  says?: RegExp,
) => string

/** Targets that do not start, with exit codes and messages. */
function absences(image: string): readonly (readonly [readonly string[], number, RegExp])[] {
  return [
    [
      ['--image', 'chatgen-image-test:absent', '--port', '1'],
      2,
      /not on this machine and cannot be pulled/,
    ],
    [
      [...start.slice(0, 4), '--ready', '/absent', '--ready-timeout', '10s'],
      3,
      /not ready after 10 s.*status 404/,
    ],
    [['--image', image, '--port', '4010'], 3, /exited with code 0 before it was ready/],
    [
      ['--image', server, '--port', '4010', '--env', 'CHATGEN_FAULT=absent'],
      3,
      /did not start|exited with code 2/,
    ],
  ]
}

async function testCompose(folder: string, unchanged: () => boolean, tried: Tried): Promise<void> {
  if (composeProgram() === null) {
    console.log('skipped: --compose (Docker Compose is not installed)')
    return
  }
  const file = join(folder, 'compose.yaml')
  const service = { image: server, environment: { CHATGEN_KEY: '$KEYS' } }
  const chat = { ...service, depends_on: ['database'] }
  const database = { image: server, volumes: ['rows:/rows'] }
  writeFileSync(file, JSON.stringify({ services: { chat, database }, volumes: { rows: {} } }))
  const place = ['--compose', file, '--service', 'chat', '--port', '4010', '--ready', '/healthz']
  const target = [...place, '--env', `KEYS=${keys}`, '--out', join(folder, 'results')]
  tried('check --compose', ['check', ...target, ...one], [0])
  await interrupted('SIGKILL', target)
  step('kill -9 leaves containers, a network and a volume', !unchanged())
  tried('chatgen cleanup --containers removes them', ['cleanup', '--containers'], [0])
  tried('an absent service', ['check', ...target, ...one, '--service', 'absent'], [2])
}

/** Flags of a certification in the folder: key, product and bundle. */
function signing(folder: string): readonly string[] {
  const [key, product] = [join(folder, 'key.pem'), join(folder, 'product.yaml')]
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(
    product,
    'vendor: Example AG\nname: Chat\nversion: "1.0"\ncontact: chat@example.org\n',
  )
  return ['--key', key, '--product', product, '--out', join(folder, 'certificate')]
}

/** A whole check that gets a signal as soon as its container is up. @returns its exit code */
async function interrupted(signal: NodeJS.Signals, flags: readonly string[]) {
  const args = ['check', ...flags, '--env', 'CHATGEN_PACE=ttft=1s,gap=200ms']
  const child = spawn(process.execPath, [join(root, 'bin/chatgen.cjs'), ...args], {
    env: { ...process.env, ...environment },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const isUp = () =>
    ['label=chatgen.run', 'label=com.docker.compose.project'].some(
      (label) => need('docker', ['ps', '--quiet', '--filter', label]).trim() !== '',
    )
  await waitUntil(() => child.exitCode !== null || isUp(), 60_000, 100)
  child.kill(signal)
  await ended
  return child.exitCode
}

function chatgen(args: readonly string[]) {
  return run(process.execPath, [join(root, 'bin/chatgen.cjs'), ...args], { env: environment })
}

function reportIn(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'results/report.json'), 'utf8'))
}

/** Names of all containers, networks and volumes of the engine. */
function everything(): string {
  return ['ps --all --quiet', 'network ls --quiet', 'volume ls --quiet']
    .map((command) => need('docker', command.split(' ')).trim().split('\n').sort().join(' '))
    .join('\n')
}
