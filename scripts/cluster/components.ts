/** The programs of a cluster: where they are, how they are built, and their start with what components.yaml says. */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { getuid } from 'node:process'
import { parse } from 'yaml'
import { z } from 'zod'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { filled, type Program, startProgram } from '../foreign/programs.ts'
import { need } from '../image/engine.ts'

export type Programs = Readonly<Record<ProgramName, string>>

export const bridge = 'chatgen0'
export const gateway = '10.87.0.1'
export const node = 'chatgen-node'
export const patienceMs = 120_000

const built = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const
const installed = ['etcd', 'containerd', 'ctr', 'runc', 'kubectl', 'ip'] as const
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
  /** Socket of containerd, and the image that holds the network of a pod. */
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
