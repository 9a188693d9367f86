/** The programs of a cluster with their configurations, in the order in which they start. */

import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { getuid } from 'node:process'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { type Program, startProgram } from '../foreign/programs.ts'
import { need } from '../image/engine.ts'

export type Programs = Readonly<Record<ProgramName, string>>

export const bridge = 'chatgen0'
export const gateway = '10.87.0.1'
export const node = 'chatgen-node'
export const patienceMs = 120_000

export type Starter = () => Promise<Program>

export function controlPlane(
  programs: Programs,
  folder: string,
  { token, admin, apiPort }: Readonly<{ token: string; admin: string; apiPort: number }>,
): readonly Starter[] {
  let etcd = ''
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signing = join(folder, 'signing.pem')
  writeFileSync(signing, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  const verifying = join(folder, 'verifying.pem')
  writeFileSync(verifying, publicKey.export({ type: 'spki', format: 'pem' }))
  const tokens = join(folder, 'tokens.csv')
  writeFileSync(tokens, `${token},admin,admin,system:masters\n`, { mode: 0o600 })
  const local = (port: number, own: string) => [
    ...['--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${own}`],
  ]
  const client = ['--leader-elect=false', `--kubeconfig=${admin}`]
  return [
    starter(
      (port, own) => {
        etcd = `http://127.0.0.1:${port}`
        const peer = 'http://127.0.0.1:0'
        return [
          ...[programs.etcd, '--data-dir', join(own, 'data'), '--listen-client-urls', etcd],
          ...['--advertise-client-urls', etcd, '--listen-peer-urls', peer],
          ...['--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
        ]
      },
      { folder, name: 'etcd' },
    ),
    starter(
      (port, own) => [
        ...[programs['kube-apiserver'], ...local(port, own), `--etcd-servers=${etcd}`],
        ...['--authorization-mode=RBAC', `--token-auth-file=${tokens}`],
        ...['--service-cluster-ip-range=10.88.0.0/24', '--endpoint-reconciler-type=none'],
        ...['--service-account-issuer=https://cluster.invalid'],
        ...[`--service-account-key-file=${verifying}`],
        ...[`--service-account-signing-key-file=${signing}`],
        ...['--kubelet-preferred-address-types=InternalIP'],
      ],
      { folder, name: 'kube-apiserver', port: apiPort },
    ),
    starter(
      (port, own) => [
        ...[programs['kube-controller-manager'], ...local(port, own), ...client],
        `--service-account-private-key-file=${signing}`,
      ],
      { folder, name: 'kube-controller-manager' },
    ),
    starter((port, own) => [programs['kube-scheduler'], ...local(port, own), ...client], {
      folder,
      name: 'kube-scheduler',
    }),
  ]
}

export function nodePrograms(
  programs: Programs,
  folder: string,
  { admin, address, pause }: Readonly<Record<'admin' | 'address' | 'pause', string>>,
): readonly Starter[] {
  const network = {
    cniVersion: '0.4.0',
    name: 'chatgen',
    plugins: [
      {
        type: 'bridge',
        bridge,
        isGateway: true,
        ipam: {
          type: 'host-local',
          dataDir: join(folder, 'addresses'),
          ranges: [[{ subnet: '10.87.0.0/24', gateway }]],
        },
      },
    ],
  }
  const containerd = (port: number, own: string) => `version = 2
root = "${own}/root"
state = "${own}/state"
[grpc]
address = "${address}"
[metrics]
address = "127.0.0.1:${port}"
[plugins."io.containerd.internal.v1.opt"]
path = "${own}/opt"
[plugins."io.containerd.grpc.v1.cri"]
# A machine may not let containers be spared when memory runs out.
restrict_oom_score_adj = true
sandbox_image = "${pause}"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${plugins}"
conf_dir = "${own}"
`
  const kubelet = (healthzPort: number, own: string, port: number) => ({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: gateway,
    port,
    healthzPort,
    healthzBindAddress: '127.0.0.1',
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${address}`,
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    failCgroupV1: false,
    localStorageCapacityIsolation: false,
    // Others use disk and memory of the machine.
    evictionHard: { 'nodefs.available': '0%', 'imagefs.available': '0%', 'memory.available': '0%' },
    imageGCHighThresholdPercent: 100,
    podLogsDir: join(own, 'logs'),
    tlsCertFile: '',
  })
  return [
    starter(
      (_, own) => [programs.containerd, '--config', join(own, 'config.toml')],
      { folder, name: 'containerd' },
      (port, own) => ({
        'config.toml': containerd(port, own),
        'network.conflist': JSON.stringify(network),
      }),
    ),
    async () => {
      const port = await freePort()
      return starter(
        (_, own) => [
          ...[programs.kubelet, '--config', join(own, 'kubelet.json'), '--kubeconfig', admin],
          ...['--root-dir', join(own, 'root'), '--cert-dir', own],
          ...['--hostname-override', node, '--node-ip', gateway],
        ],
        { folder, name: 'kubelet' },
        (healthzPort, own) => ({
          'kubelet.json': JSON.stringify(kubelet(healthzPort, own, port)),
        }),
      )()
    },
  ]
}

/** A program in its own folder, which listens on a port. */
function starter(
  command: (port: number, own: string) => readonly string[],
  place: { readonly folder: string; readonly name: string; readonly port?: number },
  files: (port: number, own: string) => Readonly<Record<string, string>> = () => ({}),
): Starter {
  return async () => {
    const port = place.port ?? (await freePort())
    const own = join(place.folder, place.name)
    mkdirSync(own, { recursive: true })
    return startProgram(own, port, {
      command: command(port, own),
      files: files(port, own),
      env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
      patienceMs,
    })
  }
}

const built = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const
const installed = ['etcd', 'containerd', 'ctr', 'runc', 'kubectl', 'ip'] as const
/** Folder of Debian's containernetworking-plugins. */
export const plugins = '/usr/lib/cni'

type ProgramName = (typeof built)[number] | (typeof installed)[number]

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
