/**
 * A Kubernetes cluster of one node on this machine, with its own network, in one folder: where its programs are, how they
 * are built, and their start with what components.yaml says.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { getuid } from 'node:process'
import { parse } from 'yaml'
import { z } from 'zod'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { filled, type Program, startProgram, waitUntil } from '../foreign/programs.ts'
import { need, run } from '../image/engine.ts'

type Programs = Readonly<Record<ProgramName, string>>

const bridge = 'chatgen0'
const gateway = '10.87.0.1'
const node = 'chatgen-node'
export const patienceMs = 120_000

const built = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const
const installed = ['etcd', 'containerd', 'ctr', 'runc', 'kubectl', 'ip'] as const
const between = ['FORWARD', '-i', bridge, '-o', bridge, '-j', 'ACCEPT']

export interface Cluster {
  /** Runs kubectl as an administrator. @throws Error with its standard error if it fails */
  kubectl(args: readonly string[], input?: string): string
  /** Writes a configuration of kubectl for the holder of a token. */
  kubeconfig(name: string, token: string, namespace: string): string
  /** @param archive of `docker save` */
  importImage(archive: string): void
  stop(): Promise<void>
}

/**
 * @param pause image, of those that are imported, which contains the network of a pod
 * @throws Error if a program does not start
 */
export async function startCluster(
  programs: Programs,
  folder: string,
  pause: string,
): Promise<Cluster> {
  const running: Program[] = []
  // Folders of the kubelet that no flag moves.
  const traces = ['/var/lib/kubelet', '/var/log/containers'].filter((path) => !existsSync(path))
  const token = randomBytes(16).toString('hex')
  const address = join(folder, 'containerd.sock')
  const apiPort = await freePort()
  const kubeconfig = (name: string, bearer: string, namespace: string) => {
    const file = join(folder, `${name}.kubeconfig`)
    const cluster = {
      server: `https://127.0.0.1:${apiPort}`,
      // It creates its certificate when it starts.
      'insecure-skip-tls-verify': true,
    }
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster }],
      users: [{ name, user: { token: bearer } }],
      contexts: [{ name, context: { cluster: 'test', user: name, namespace } }],
      'current-context': name,
    }
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
    return file
  }
  const admin = kubeconfig('admin', token, 'default')
  const ctr = (...args: string[]) =>
    run(programs.ctr, ['--address', address, '--namespace', 'k8s.io', ...args])
  const cluster: Cluster = {
    kubeconfig,
    kubectl: (args, input = '') =>
      need(programs.kubectl, ['--kubeconfig', admin, ...args], { input: Buffer.from(input) }),
    importImage: (archive) => {
      const { code, stderr } = ctr('images', 'import', archive)
      if (code !== 0) throw new Error(`ctr images import: ${stderr}`)
    },
    stop: async () => {
      const pods = ['delete', 'pods', '--all', '--all-namespaces', '--timeout=60s']
      run(programs.kubectl, ['--kubeconfig', admin, ...pods])
      const last = running.pop()
      await last?.stop()
      for (const id of ctr('tasks', 'ls', '--quiet').stdout.split('\n').filter(Boolean)) {
        ctr('tasks', 'delete', '--force', id)
      }
      for (const program of running.toReversed()) await program.stop()
      run('iptables', ['-D', ...between])
      run(programs.ip, ['link', 'delete', bridge])
      for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
        const [, mounted = ''] = line.split(' ')
        if (mounted.startsWith(folder)) run('umount', ['--lazy', mounted])
      }
      for (const path of [folder, ...traces]) rmSync(path, { recursive: true, force: true })
    },
  }
  need(programs.ip, ['link', 'add', bridge, 'type', 'bridge'])
  try {
    need(programs.ip, ['address', 'add', `${gateway}/24`, 'dev', bridge])
    need(programs.ip, ['link', 'set', bridge, 'up'])
    // A Docker engine on the machine blocks forwarding for others.
    run('iptables', ['-I', ...between])
    const place = { folder, token, admin, api: apiPort, socket: address, pause }
    await startComponents(programs, place, running)
    await becomesReady(cluster)
    return cluster
  } catch (error) {
    const logs = running.map((program) => program.output().slice(-1500)).join('\n')
    await cluster.stop()
    throw new Error(`${error instanceof Error ? error.message : error}\n${logs}`)
  }
}

/** @throws Error if the node is not ready and without taints within two minutes */
async function becomesReady({ kubectl }: Cluster): Promise<void> {
  const state = '{.status.conditions[?(@.type=="Ready")].status}{.spec.taints}'
  const isReady = () => {
    try {
      return kubectl(['get', 'node', node, '--output', `jsonpath=${state}`]) === 'True'
    } catch {
      // The API does not answer yet, or has no node.
      return false
    }
  }
  if (await waitUntil(isReady, patienceMs)) return
  throw new Error(`the node is not ready: ${kubectl(['describe', 'node', node])}`)
}

/** Folder of Debian's containernetworking-plugins. */
const plugins = '/usr/lib/cni'

type ProgramName = (typeof built)[number] | (typeof installed)[number]

const components = z
  .array(
    z.strictObject({
      name: z.enum([...built, 'etcd', 'containerd']),
      port: z.string().optional(),
      args: z.array(z.string()),
      files: z.record(z.string(), z.string()).default({}),
    }),
  )
  .parse(parse(readFileSync(new URL('components.yaml', import.meta.url), 'utf8')))

interface Place {
  readonly folder: string
  /** Key of an administrator, and the configuration of kubectl that has it. */
  readonly token: string
  readonly admin: string
  /** Port of the API. */
  readonly api: number
  /** Socket of containerd, and the image that contains the network of a pod. */
  readonly socket: string
  readonly pause: string
}

/** Starts the programs one after the other; `running` gets each that has started. */
export async function startComponents(programs: Programs, place: Place, running: Program[]) {
  const { folder, token } = place
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const secrets = {
    'signing.pem': keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'verifying.pem': keys.publicKey.export({ type: 'spki', format: 'pem' }),
    'tokens.csv': `${token},admin,admin,system:masters\n`,
  }
  for (const [name, text] of Object.entries(secrets)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  }
  const common = { ...place, bridge, gateway, node, plugins, etcd: await freePort() }
  for (const { name, port: given, args, files } of components) {
    const port = given === undefined ? await freePort() : Number(filled(given, common))
    const own = join(folder, name)
    const values = { ...common, own, port, kubelet: await freePort() }
    const contents = Object.entries(files).map(([file, text]) => [file, filled(text, values)])
    const program = await startProgram(own, port, {
      command: [programs[name], ...args.map((text) => filled(text, values))],
      files: Object.fromEntries(contents),
      patienceMs,
    })
    running.push(program)
  }
}

/** Paths of all programs; the reason if one is missing. KUBERNETES_BIN is searched in addition to PATH. */
export function clusterPrograms(): Readonly<Record<ProgramName, string>> | string {
  if (getuid?.() !== 0) return 'a node needs root'
  const path = `${process.env['KUBERNETES_BIN'] ?? ''}:${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`
  const folders = path.split(delimiter).filter(Boolean)
  const found = [...built, ...installed].map((name) => {
    const file = folders.map((folder) => join(folder, name)).find(existsSync)
    return [name, file ?? ''] as const
  })
  const missing = found.filter(([, file]) => file === '').map(([name]) => name)
  if (missing.length > 0) return `not found in KUBERNETES_BIN or PATH: ${missing.join(', ')}`
  if (!existsSync(join(plugins, 'bridge'))) return `no network plugins in ${plugins}`
  return Object.fromEntries(found) as Record<ProgramName, string>
}

/**
 * Builds the programs of the Go module `k8s.io/kubernetes`, one package at a time.
 * @param version such as 1.34.4
 */
export function buildPrograms(version: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const [, minor = ''] = version.split('.')
  const module = `k8s.io/kubernetes@v${version}`
  const found = need('go', ['mod', 'download', '-json', module], { cwd: folder })
  const { Dir: source }: { Dir: string } = JSON.parse(found)
  // The module replaces its dependencies with folders that it does not contain.
  const own = readFileSync(join(source, 'go.mod'), 'utf8')
  const parts = version.replace(/^1\./, '0.')
  const text = own
    .replace(/^module .*/m, 'module cluster')
    .replaceAll(/^(\s+k8s\.io\/[a-z-]+) v0\.0\.0( |$)/gm, `$1 v${parts}$2`)
    .replaceAll(/^(\s+)(k8s\.io\/[a-z-]+) => .*/gm, `$1$2 => $2 v${parts}`)
  writeFileSync(join(folder, 'go.mod'), `${text}\nrequire k8s.io/kubernetes v${version}\n`)
  writeFileSync(join(folder, 'go.sum'), readFileSync(join(source, 'go.sum')))
  const names = { gitVersion: `v${version}`, gitMajor: '1', gitMinor: minor }
  const flags = Object.entries(names).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  )
  const packages = built.map((name) => `k8s.io/kubernetes/cmd/${name}`)
  const build = ['build', '-p', '1', '-ldflags', ['-s', '-w', ...flags].join(' '), '-o', '.']
  const env = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod' }
  need('go', [...build, ...packages], { cwd: folder, env })
}
