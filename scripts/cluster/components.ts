/** The programs of a cluster with their configurations, in the order in which they start. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { type Program, startProgram } from '../foreign/programs.ts'
import { type ProgramName, plugins } from './cluster.ts'

export type Programs = Readonly<Record<ProgramName, string>>

export const bridge = 'chatgen0'
export const gateway = '10.87.0.1'
export const node = 'chatgen-node'
export const patienceMs = 120_000

export type Starter = () => Promise<Program>

export function controlPlane(
  programs: Programs,
  folder: string,
  {
    token,
    admin,
    apiPort,
  }: { readonly token: string; readonly admin: string; readonly apiPort: number },
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
  {
    admin,
    address,
    pause,
  }: { readonly admin: string; readonly address: string; readonly pause: string },
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
