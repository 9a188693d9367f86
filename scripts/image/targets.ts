/** Containers as targets: their messages, and their complete removal. */
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
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
  const tried = (name: string, args: readonly string[], codes: readonly number[]) => {
    const { code, stderr } = chatgen(args)
    const isExpected = codes.includes(code ?? -1)
    if (!isExpected) console.log(stderr)
    step(`${name}: exit code ${code}`, isExpected && unchanged())
  }
  const env = ['--env', `CHATGEN_KEY=${keys}`]
  const out = ['--out', join(folder, 'results')]
  try {
    tried('check --image', ['check', ...start, ...env, ...one, ...out], [0])
    const { digest } = reportIn(folder).target.container
    step(`its report names ${digest}`, /^sha256:/.test(digest))

    const faulty = ['--env', `CHATGEN_FAULT=${fault}`]
    const violated = chatgen(['check', ...start, ...env, ...faulty, ...one, ...out])
    const hasLog = /Last lines of the container.*"url\.path"/s.test(violated.stdout)
    step(
      `a fault: exit code ${violated.code}, with log lines`,
      violated.code === 1 && hasLog && unchanged(),
    )
    step('no key in its output', !violated.stdout.includes('sk-target'))

    const rate = ['--rate', '5', '--duration', '3s', '--surface', 'openai', '--quiet']
    tried('load --image', ['load', ...start, ...env, ...rate, ...out], [0, 6])
    const { image } = reportIn(folder).target.container
    step(`its report names ${image}`, image === server)

    const search = ['--min', '2', '--max', '8', '--probe', '2s', '--slo', 'ttft.p95 < 5s']
    const surface = ['--surface', 'openai', '--budget', '15s', '--quiet']
    const capacity = ['capacity', ...start, ...env, ...search, ...surface, ...out]
    // Decided, undecided or invalid, depending on the machine.
    tried('capacity --image', capacity, [0, 1, 5, 6])

    const program = ['--profile', 'openai', '--challenge', 'image-test-4711-0815']
    const target = ['--target', join(root, 'fixtures/targets/reference.yaml')]
    const certify = ['certify', ...start, ...env, ...program, ...target, ...signing(folder)]
    tried('certify --image', certify, [0])

    await testInterruptions([...start, ...env], out, unchanged)
    testMessages(ofChatgen, out, unchanged)
    await testCompose(folder, unchanged)
  } finally {
    run('docker', ['image', 'rm', '--force', server])
  }
}

/** Containers of a run that was interrupted or killed are removed. */
async function testInterruptions(
  target: readonly string[],
  out: readonly string[],
  unchanged: () => boolean,
): Promise<void> {
  await interrupted('SIGINT', [...target, ...out], (code) =>
    step(`Ctrl-C: exit code ${code}`, code === 130 && unchanged()),
  )
  await interrupted('SIGKILL', [...target, ...out], () =>
    step('kill -9 leaves a container', !unchanged()),
  )
  const cleaned = chatgen(['cleanup', '--containers'])
  step('chatgen cleanup --containers removes it', cleaned.code === 0 && unchanged())
  await interrupted('SIGKILL', [...target, ...out], () => {})
  const next = chatgen(['check', ...target, ...one, ...out])
  step('and so does the next run', next.code === 0 && unchanged())
}

/** Exit codes and messages of targets that do not start. */
function testMessages(image: string, out: readonly string[], unchanged: () => boolean): void {
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [
      ['--image', 'chatgen-image-test:absent', '--port', '1'],
      2,
      /not on this machine and cannot be pulled/,
    ],
    [
      [...start.slice(0, 4), '--ready', '/absent', '--ready-timeout', '20s'],
      3,
      /not ready after 20 s.*status 404/,
    ],
    [['--image', image, '--port', '4010'], 3, /exited with code 0 before it was ready/],
    [
      ['--image', server, '--port', '4010', '--env', 'CHATGEN_FAULT=absent'],
      3,
      /did not start|exited with code 2/,
    ],
  ]
  for (const [args, code, sentence] of cases) {
    const ended = chatgen(['check', ...args, ...one, ...out])
    const isSaid = ended.code === code && sentence.test(ended.stderr) && unchanged()
    step(`exit code ${code}: ${ended.stderr.split('\n')[0]}`, isSaid)
  }
}

async function testCompose(folder: string, unchanged: () => boolean): Promise<void> {
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
  const env = ['--env', `KEYS=${keys}`, '--out', join(folder, 'results')]
  const passed = chatgen(['check', ...place, ...env, ...one])
  if (passed.code !== 0) console.log(passed.stderr)
  step(`check --compose: exit code ${passed.code}`, passed.code === 0 && unchanged())
  await interrupted('SIGKILL', [...place, ...env], () => {})
  step('kill -9 leaves containers, a network and a volume', !unchanged())
  chatgen(['cleanup', '--containers'])
  step('chatgen cleanup --containers removes them', unchanged())
  const absent = chatgen(['check', ...place, ...env, ...one, '--service', 'absent'])
  step(
    `exit code ${absent.code}: ${absent.stderr.split('\n')[0]}`,
    absent.code === 2 && unchanged(),
  )
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

/** A whole check that gets a signal as soon as its first result is on the disk. */
async function interrupted(
  signal: NodeJS.Signals,
  flags: readonly string[],
  then: (code: number | null) => void,
): Promise<void> {
  const slow = ['--env', 'CHATGEN_PACE=ttft=1s,gap=200ms']
  const child = spawn(
    process.execPath,
    [join(root, 'bin/chatgen.cjs'), 'check', ...flags, ...slow],
    {
      env: { ...process.env, ...environment },
      stdio: 'ignore',
    },
  )
  const ended = once(child, 'exit')
  const names = ['--filter', 'label=chatgen.run', '--filter', 'label=com.docker.compose.project']
  for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt++) {
    const isUp = [names.slice(0, 2), names.slice(2)].some(
      (filter) => need('docker', ['ps', '--quiet', ...filter]).trim() !== '',
    )
    if (isUp) break
    await delay(100)
  }
  child.kill(signal)
  await ended
  then(child.exitCode)
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
