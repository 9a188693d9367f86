/**
 * The deployments of deploy/ on a real engine: three replicas, PostgreSQL and nginx.
 *
 *   npm run test:deployment [-- --only swarm --rate 15 --seconds 90]
 *
 * With Docker Compose: `check` through nginx conforms, also after everything was stopped and started again, and
 * what was stored before is still there. With Docker Swarm: `load` of all surfaces while all replicas are
 * replaced by a rolling update; no request may fail. Ends with 1 otherwise. Prints what it skips if there is
 * no engine, no Compose, or no image.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../reference-server/test-support/free-port.ts'
import { loadReport } from '../reports/load/model/report.ts'
import { chatgen, reportIn, waitUntil } from './foreign/programs.ts'
import { buildImage, removeImages, removeServiceImages, serviceImages } from './image/build.ts'
import { composeProgram, engineProblem, inSwarm, need, run, step } from './image/engine.ts'
import { optionsOf, scriptFolder } from './options.ts'
import { differences, emptyLedger, writeUntil } from './store/acknowledged.ts'

const values = optionsOf(import.meta, { only: '', rate: 15, seconds: 90 })
const image = 'chatgen-deployment-test'
const project = 'chatgen-deployment-test'
const keys = ['sk-deployment-one-4711', 'sk-deployment-other-4711'] as const
const patienceMs = 120_000
const profile = 'fixtures/targets/reference.yaml'
const environment = { CHATGEN_API_KEY: keys[0], CHATGEN_OTHER_KEY: keys[1] }

const problem = engineProblem()
const images = problem ?? serviceImages()
if (typeof images === 'string') {
  console.log(`skipped: deployments on a real engine (${images})`)
} else {
  const port = await freePort()
  const variables = {
    POSTGRES_PASSWORD: 'deployment-4711',
    CHATGEN_KEY: keys.join(','),
    SERVER_IMAGE: image,
    POSTGRES_IMAGE: images.postgres,
    NGINX_IMAGE: images.nginx,
    PUBLISHED_PORT: `${port}`,
  }
  const folder = scriptFolder('deployment')
  try {
    console.log(`built from ${buildImage(image).base} and ${images.origin}`)
    const deployment = { url: `http://127.0.0.1:${port}`, folder, variables }
    if (values.only !== 'swarm') await withCompose(deployment)
    if (values.only !== 'compose') await inSwarm(() => withSwarm(deployment))
  } finally {
    removeImages(image)
    removeServiceImages()
  }
}

interface Deployment {
  /** nginx. */
  readonly url: string
  /** Folder of results. */
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
}

async function withCompose({ url, folder, variables }: Deployment): Promise<void> {
  const [program, ...plugin] = composeProgram() ?? []
  if (program === undefined) {
    console.log('skipped: deploy/compose (Docker Compose is not installed)')
    return
  }
  const files = ['--project-name', project, '--file', 'deploy/compose/compose.yaml']
  const compose = (...args: string[]) =>
    need(program, [...plugin, ...files, ...args], { env: variables })
  const target = { url: () => url, key: keys[1] }
  try {
    compose('up', '--detach', '--scale', 'server=3')
    step('Compose: ready', await becomesReady(url))
    const flags = ['--target', profile, '--out', folder, '--quiet']
    const { code, stdout } = await chatgen(['check', url, ...flags], environment, 600_000)
    step(`Compose: check ends with ${code}: ${stdout.trim()}`, code === 0)
    const ledger = emptyLedger()
    await writeUntil(AbortSignal.timeout(5_000), target, ledger)
    compose('stop')
    compose('start')
    step('Compose: ready after a restart', await becomesReady(url))
    const lost = await differences(target, ledger)
    for (const difference of lost) console.log(difference)
    step(
      `Compose: ${ledger.turns.length} turns are still there, ${lost.length} are not`,
      ledger.turns.length > 0 && lost.length === 0,
    )
  } finally {
    compose('down', '--volumes')
  }
}

async function withSwarm({ url, folder, variables }: Deployment): Promise<void> {
  const stack = ['--compose-file', 'deploy/swarm/server.yaml', '--resolve-image', 'never', project]
  try {
    need('docker', ['stack', 'deploy', ...stack], { env: variables })
    step('Swarm: ready', await becomesReady(url))
    step('Swarm: three replicas', await waitUntil(() => tasks().length === 3, patienceMs))
    if (process.exitCode === 1) return
    const before = tasks()
    const loading = loaded(url, folder)
    await sleep(5_000)
    need('docker', ['service', 'update', '--force', '--quiet', `${project}_server`])
    const replaced = before.filter((task) => !tasks().includes(task)).length
    step(`Swarm: ${replaced} of 3 replicas replaced under load`, replaced === 3)
    await loading
  } finally {
    run('docker', ['stack', 'rm', project])
    const left = ['ps', '--all', '--quiet', '--filter', `name=${project}`]
    await waitUntil(() => need('docker', left).trim() === '', patienceMs)
    run('docker', ['volume', 'rm', '--force', `${project}_data`])
  }
}

/** Load of all surfaces; each request must succeed. */
async function loaded(url: string, folder: string): Promise<void> {
  const amount = ['--rate', `${values.rate}`, '--duration', `${values.seconds}s`, '--mix', 'all']
  const { code, stdout, stderr } = await chatgen(
    ['load', url, '--target', profile, ...amount, '--out', folder, '--quiet'],
    environment,
    values.seconds * 1_000 + 120_000,
  )
  if (code !== 0) console.log(`${stdout}${stderr}`)
  if (!existsSync(join(folder, 'report.json'))) return step(`Swarm: load ends with ${code}`, false)
  const { errors, integrity, open } = reportIn(loadReport, folder)
  for (const { kind, count } of errors) console.log(`  ${count} ${kind}`)
  const failures = errors.reduce((sum, { count }) => sum + count, 0)
  step(
    `Swarm: load ends with ${code}: ${integrity.streams} streams, ${failures} requests failed, ${open} without an end`,
    code === 0 && failures === 0 && open === 0 && integrity.streams > 0,
  )
}

function becomesReady(url: string): Promise<boolean> {
  return waitUntil(
    () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    patienceMs,
  )
}

/** Ids of the running tasks of the server. */
function tasks(): readonly string[] {
  const filter = ['--filter', 'desired-state=running', '--format', '{{.ID}} {{.CurrentState}}']
  const lines = need('docker', ['service', 'ps', ...filter, `${project}_server`]).split('\n')
  return lines.filter((line) => line.includes(' Running')).map((line) => line.split(' ')[0] ?? '')
}
