/** Programs of a Kubernetes cluster of one node: those of Debian, and those that Go builds from one module. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { getuid } from 'node:process'
import { need } from '../image/engine.ts'

const built = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const
const installed = ['etcd', 'containerd', 'ctr', 'runc', 'kubectl', 'ip'] as const
/** Folder of Debian's containernetworking-plugins. */
export const plugins = '/usr/lib/cni'

export type ProgramName = (typeof built)[number] | (typeof installed)[number]

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
  const { status } = spawnSync(
    'go',
    ['build', '-p', '1', '-ldflags', ['-s', '-w', ...flags].join(' '), '-o', '.', ...packages],
    {
      cwd: folder,
      stdio: 'inherit',
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod' },
    },
  )
  if (status !== 0) throw new Error(`go build ended with ${status}`)
}
