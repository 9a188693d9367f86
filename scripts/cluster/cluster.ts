/** A Kubernetes cluster of one node on this machine, with its own network, in one folder. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { type Program, waitUntil } from '../foreign/programs.ts'
import { need, run } from '../image/engine.ts'
import { bridge, gateway, node, type Programs, patienceMs, startComponents } from './components.ts'

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
 * @param pause image, of those that are imported, which holds the network of a pod
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
