/**
 * `load --runner kubernetes` on the cluster of kubectl's current context: the role of deploy/kubernetes/runner, and a
 * server in a pod as the target. Shards that succeed, a pod that is killed, an image that cannot be pulled, quotas, and
 * Ctrl-C; nothing may be left.
 *
 *   npm run test:cluster -- --image NAME:TAG
 *
 * Creates two namespaces, and deletes them. The nodes have the image of deploy/Dockerfile, or pull it:
 *
 *   docker build --file deploy/Dockerfile --tag chatgen:test .
 *   kind create cluster && kind load docker-image chatgen:test
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { loadReport } from '../reports/load/model/report.ts'
import { bin, chatgen, filled, reportIn, waitUntil } from './foreign/programs.ts'
import { need, root, run, step } from './image/engine.ts'
import { testMerge } from './image/swarm.ts'
import { optionsOf, scriptFolder } from './options.ts'

const { image } = optionsOf(import.meta, { image: '' })
const key = 'sk-cluster-0123456789abcdef'
const [namespace, servers] = [`chatgen-${process.pid}`, `chatgen-${process.pid}-servers`]
const shards = 3
const patienceMs = 120_000

const { code, stderr } = run('kubectl', ['get', 'nodes'])
if (image === '' || code !== 0) {
  console.log(
    `skipped: a Kubernetes cluster (${image === '' ? 'no --image' : stderr.split('\n').at(-1)})`,
  )
} else {
  try {
    await testRunner(scriptFolder('cluster'))
  } finally {
    run('kubectl', ['delete', 'namespace', '--ignore-not-found', namespace, servers])
  }
}

function kubectl(...args: readonly string[]): string {
  return need('kubectl', args)
}

/** Writes a configuration of kubectl for the holder of a token. @returns its path */
function kubeconfig(folder: string, token: string): string {
  const current = JSON.parse(kubectl('config', 'view', '--minify', '--flatten', '--output', 'json'))
  const [{ name: cluster }] = current.clusters
  const file = join(folder, 'runner.kubeconfig')
  const config = {
    ...current,
    users: [{ name: 'runner', user: { token } }],
    contexts: [{ name: 'runner', context: { cluster, user: 'runner', namespace } }],
    'current-context': 'runner',
  }
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
  return file
}

async function testRunner(place: string): Promise<void> {
  for (const name of [namespace, servers]) {
    kubectl('create', 'namespace', name)
    kubectl('label', 'namespace', name, 'pod-security.kubernetes.io/enforce=restricted')
    const account = ['--for=create', '--timeout=60s', 'serviceaccount/default']
    kubectl('wait', '--namespace', name, ...account)
  }
  const within = ['--namespace', namespace]
  kubectl('apply', ...within, '--filename', join(root, 'deploy/kubernetes/runner/role.yaml'))
  const token = kubectl('create', 'token', 'chatgen-runner', ...within)
  const environment = {
    CHATGEN_API_KEY: key,
    KUBECONFIG: kubeconfig(place, token.trim()),
  }
  const address = startServer()
  const out = join(place, 'results')
  const plan = ['--rate', '12', '--duration', '15s', '--seed', 'cluster', '--quiet', '--out', out]
  const args = (name: string, startIn = '30s') => [
    ...['load', `http://${address}:4010`, ...plan, '--runner', 'kubernetes', '--image', name],
    ...['--shards', String(shards), '--start-in', startIn],
  ]
  const load = (...own: Parameters<typeof args>) => chatgen(args(...own), environment, 300_000)
  const left = () =>
    kubectl('get', 'jobs,pods,secrets', ...within, '--output', 'name')
      .trim()
      .replaceAll('\n', ' ')
  type End = { readonly code: number | null; readonly stderr?: string }
  const ended = (name: string, { code, stderr = '' }: End, expected: RegExp, says = /^/) => {
    const isSaid = expected.test(String(code)) && (code === 0 || says.test(stderr))
    const text = stderr.split('\n').find((line) => says.test(line)) ?? stderr
    step(`${name}: exit code ${code} ${text.slice(0, 200)}`, isSaid)
    step(`${name}: left in the namespace: ${left() || 'nothing'}`, left() === '')
  }

  // The speed of the machine may make the run invalid.
  ended('three shards', await load(image), /^[06]$/)
  testMerge(out, shards)

  const running = load(image)
  const [victim = ''] = await podsRunning()
  await delay(28_000)
  kubectl('delete', ...within, victim, '--wait=false', '--grace-period=1')
  ended('a pod that is killed', await running, /^5$/, /has no report/)
  const { partial } = reportIn(loadReport, out)
  step(`a pod that is killed: ${JSON.stringify(partial)}`, partial?.missing.length === 1)

  const absent = await load('localhost:1/absent:1', '10s')
  ended('an image that cannot be pulled', absent, /^2$/, /ErrImagePull|ImagePullBackOff/)

  for (const hard of ['pods=0', 'count/jobs.batch=0']) {
    kubectl('create', ...within, 'quota', 'none', `--hard=${hard}`)
    ended(`a quota of ${hard}`, await load(image, '10s'), /^2$/, /exceeded quota/)
    kubectl('delete', ...within, 'quota', 'none')
  }

  const child = spawn(process.execPath, [bin, ...args(image)], {
    env: { ...process.env, ...environment },
    stdio: 'ignore',
    detached: true,
  })
  await podsRunning()
  // As a terminal does: the signal goes to the whole process group.
  process.kill(-(child.pid ?? 0), 'SIGINT')
  const [code] = await once(child, 'exit')
  ended('Ctrl-C', { code }, /^130$/)
  step('the role reads no secret', !canRead('secrets') && canRead('pods'))
}

/** A server in a pod. @returns its address */
function startServer(): string {
  const within = ['--namespace', servers]
  const pod = readFileSync(new URL('cluster/server.yaml', import.meta.url), 'utf8')
  const input = Buffer.from(filled(pod, { image, key }))
  need('kubectl', ['create', ...within, '--filename', '-'], { input })
  const ready = run('kubectl', [
    ...['wait', ...within, '--for=condition=Ready', '--timeout=180s', 'pod/server'],
  ])
  if (ready.code !== 0) throw new Error(kubectl('describe', ...within, 'pod/server'))
  return kubectl('get', ...within, 'pod/server', '--output', 'jsonpath={.status.podIP}')
}

/** Names of the pods of a job, as soon as all of them run. */
async function podsRunning(): Promise<readonly string[]> {
  const phase = ['--field-selector', 'status.phase=Running', '--output', 'name']
  let names: readonly string[] = []
  const areRunning = () => {
    names = kubectl('get', 'pods', '--namespace', namespace, ...phase)
      .trim()
      .split('\n')
    return names.length === shards
  }
  if (await waitUntil(areRunning, patienceMs)) return names
  throw new Error('the pods of a job do not run')
}

function canRead(resource: string): boolean {
  const account = `--as=system:serviceaccount:${namespace}:chatgen-runner`
  const question = ['auth', 'can-i', 'get', resource, account, '--namespace', namespace]
  return run('kubectl', question).code === 0
}
