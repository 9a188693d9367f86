/**
 * `load --runner kubernetes` on a real cluster of one node, which this script starts and removes: the image of
 * deploy/Dockerfile, the role of deploy/kubernetes/runner, and a server in a pod as the target. Shards that
 * succeed, a pod that is killed, an image that cannot be pulled, quotas, and Ctrl-C; nothing may be left.
 *
 *   npm run test:cluster [-- --build 1.34.4 --image NAME:TAG]
 *
 * Needs root, Docker, Debian's etcd-server, containerd, runc and containernetworking-plugins, kubectl, and
 * kube-apiserver, kube-controller-manager, kube-scheduler and kubelet in the folder KUBERNETES_BIN or on
 * PATH. `--build` builds these with Go into KUBERNETES_BIN, which takes an hour; `--image` takes an image of chatgen
 * that is built already. Prints what is missing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { loadReport } from '../reports/load/model/report.ts'
import {
  buildPrograms,
  type Cluster,
  clusterPrograms,
  patienceMs,
  startCluster,
} from './cluster/cluster.ts'
import { bin, chatgen, filled, reportIn, waitUntil } from './foreign/programs.ts'
import { buildImage, removeImages } from './image/build.ts'
import { engineProblem, need, root, run, step } from './image/engine.ts'
import { testMerge } from './image/swarm.ts'
import { optionsOf, scriptFolder } from './options.ts'

const values = optionsOf(import.meta, { build: '', image: '' })
const image = values.image || 'chatgen-cluster-test:1'
const pause = 'chatgen-cluster-test:pause'
const key = 'sk-cluster-0123456789abcdef'
const [namespace, servers] = ['chatgen', 'chatgen-servers']
const shards = 3

const folder = process.env['KUBERNETES_BIN']
if (values.build !== '' && folder !== undefined) buildPrograms(values.build, folder)
const programs = clusterPrograms()
const problem = typeof programs === 'string' ? programs : engineProblem()
if (problem !== null || typeof programs === 'string') {
  console.log(`skipped: a Kubernetes cluster (${problem})`)
} else {
  const place = scriptFolder('cluster')
  const archive = images(place)
  const cluster = await startCluster(programs, mkdtempSync(join(place, 'node-')), pause)
  try {
    cluster.importImage(archive)
    await testRunner(cluster, place)
  } finally {
    await cluster.stop()
  }
}

/** @returns an archive of the image, and of one that contains the network of a pod */
function images(place: string): string {
  if (values.image === '') buildImage(image)
  try {
    const lines = [`FROM ${image}`, `ENTRYPOINT ["/bin/node", "-e", "setInterval(() => {}, 1e9)"]`]
    need('docker', ['build', '--tag', pause, '-'], {
      input: Buffer.from(`${lines.join('\n')}\nCMD []\n`),
      env: { DOCKER_BUILDKIT: '0' },
    })
    const archive = join(place, 'images.tar')
    need('docker', ['save', '--output', archive, image, pause])
    return archive
  } finally {
    run('docker', ['image', 'rm', '--force', pause])
    if (values.image === '') removeImages(image)
  }
}

async function testRunner(cluster: Cluster, place: string): Promise<void> {
  const kubectl = (...args: string[]) => cluster.kubectl(args)
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
    KUBECONFIG: cluster.kubeconfig('runner', token.trim(), namespace),
  }
  const address = await startServer(cluster)
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
  const [victim = ''] = await podsRunning(cluster)
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
  await podsRunning(cluster)
  // As a terminal does: the signal goes to the whole process group.
  process.kill(-(child.pid ?? 0), 'SIGINT')
  const [code] = await once(child, 'exit')
  ended('Ctrl-C', { code }, /^130$/)
  step('the role reads no secret', !canRead(cluster, 'secrets') && canRead(cluster, 'pods'))
}

/** A server in a pod. @returns its address */
async function startServer({ kubectl }: Cluster): Promise<string> {
  const within = ['--namespace', servers]
  const pod = readFileSync(new URL('cluster/server.yaml', import.meta.url), 'utf8')
  kubectl(['create', ...within, '--filename', '-'], filled(pod, { image, key }))
  const ready = ['wait', ...within, '--for=condition=Ready', '--timeout=180s', 'pod/server']
  try {
    kubectl(ready)
  } catch (error) {
    throw new Error(`${error}\n${kubectl(['describe', ...within, 'pod/server'])}`)
  }
  return kubectl(['get', ...within, 'pod/server', '--output', 'jsonpath={.status.podIP}'])
}

/** Names of the pods of a job, as soon as all of them run. */
async function podsRunning({ kubectl }: Cluster): Promise<readonly string[]> {
  const phase = ['--field-selector', 'status.phase=Running', '--output', 'name']
  const get = ['get', 'pods', '--namespace', namespace, ...phase]
  let names: readonly string[] = []
  const areRunning = () => {
    names = kubectl(get).trim().split('\n')
    return names.length === shards
  }
  if (await waitUntil(areRunning, patienceMs)) return names
  throw new Error('the pods of a job do not run')
}

function canRead({ kubectl }: Cluster, resource: string): boolean {
  const account = `--as=system:serviceaccount:${namespace}:chatgen-runner`
  try {
    return kubectl(['auth', 'can-i', 'get', resource, account, '--namespace', namespace]) !== ''
  } catch {
    return false
  }
}
