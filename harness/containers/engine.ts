import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { ContainerRuntimeClient } from 'testcontainers'
import { ConfigurationError } from '../conformance/errors.ts'
import { isAlive, startOfProcess } from '../conformance/process.ts'

type Api = Engine['api']

/** Label by which Compose marks containers, networks and volumes of a project. */
export const projectLabel = 'com.docker.compose.project'

/**
 * Runs that have containers, networks or volumes: those whose process was killed before it removed what it
 * started, and those of other machines, which may still be running.
 */
export async function leftoversOf(api: Api) {
  const found = new Set<string>()
  for (const label of [runLabel, projectLabel]) {
    for await (const { labels } of labeled(api, label)) {
      for (const name of [labels?.[runLabel], labels?.[projectLabel]])
        if (name !== undefined) found.add(name)
    }
  }
  const states = Map.groupBy(found, stateOfRun)
  return { ended: states.get('ended') ?? [], elsewhere: states.get('elsewhere') ?? [] }
}

/** Removes all containers, networks and volumes of a run. */
export async function removeRun(api: Api, name: string): Promise<void> {
  for (const label of [`${runLabel}=${name}`, `${projectLabel}=${name}`]) {
    for await (const { remove } of labeled(api, label)) await unlessGone(remove)
  }
}

/** Containers, then networks, then volumes with a label: the order in which they can be removed. */
async function* labeled(api: Api, label: string) {
  const filters = { label: [label] }
  for (const { Id, Labels: labels } of await api.listContainers({ all: true, filters })) {
    yield { labels, remove: () => api.getContainer(Id).remove({ force: true, v: true }) }
  }
  for (const { Id, Labels: labels } of await api.listNetworks({ filters })) {
    yield { labels, remove: () => api.getNetwork(Id).remove() }
  }
  const { Volumes } = await api.listVolumes({ filters })
  for (const { Name, Labels: labels } of Volumes ?? []) {
    yield { labels, remove: () => api.getVolume(Name).remove({ force: true }) }
  }
}

/** 404: gone already; 409: another process is removing it. */
async function unlessGone(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null
    if (status !== 404 && status !== 409) throw error
  }
}

export type Testcontainers = typeof import('testcontainers')

export interface Engine {
  readonly testcontainers: Testcontainers
  readonly client: ContainerRuntimeClient
  readonly api: ContainerRuntimeClient['container']['dockerode']
}

/**
 * Loads testcontainers and connects to the engine of its configuration: DOCKER_HOST, the current Docker
 * context, the default socket.
 * @throws ConfigurationError if the package is not installed, or no engine answers
 */
export async function openEngine(): Promise<Engine> {
  // Containers are found by their labels, so no helper container has to be pulled.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true'
  const testcontainers = await load()
  try {
    const client = await testcontainers.getContainerRuntimeClient()
    return { testcontainers, client, api: client.container.dockerode }
  } catch {
    const host = process.env['DOCKER_HOST']
    const where = host === undefined ? 'the default socket and context' : `DOCKER_HOST=${host}`
    throw new ConfigurationError([
      `no container engine answers (${where}): start Docker or Podman, or set DOCKER_HOST; docker info shows whether it answers`,
    ])
  }
}

async function load(): Promise<Testcontainers> {
  try {
    return await import('testcontainers')
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    throw new ConfigurationError([
      'containers need the package testcontainers, which is not installed: npm install testcontainers@12',
    ])
  }
}

/** Label of a container that a run started; its value, also the name of a Compose project, names the run. */
export const runLabel = 'chatgen.run'

/** Name of what this process starts: machine, process id, and start time of the process. */
export function runName(pid = process.pid): string {
  return `chatgen-run-${machine()}-${pid}-${startOfProcess(pid) ?? 0}`
}

/**
 * State of the process of a run; `elsewhere` if it belongs to another machine and cannot be checked.
 * Undefined for a name that does not belong to a run.
 */
export function stateOfRun(name: string): 'running' | 'ended' | 'elsewhere' | undefined {
  const [, host, pid, start] = /^chatgen-run-([0-9a-f]{8})-(\d+)-(\d+)$/.exec(name) ?? []
  if (host === undefined) return undefined
  if (host !== machine()) return 'elsewhere'
  if (!isAlive(Number(pid))) return 'ended'
  const current = startOfProcess(Number(pid))
  return current === null || current === start ? 'running' : 'ended'
}

function machine(): string {
  return hash('sha256', hostname()).slice(0, 8)
}

const pollMs = 200
const answerMs = 5000

export interface ReadinessOptions {
  readonly baseUrl: string
  /** Path that answers with a status below 400 when the service is ready; null: any answer of `/`. */
  readonly ready: string | null
  readonly readyMs: number
  readonly signal: AbortSignal
  /** False if the container has exited. */
  readonly isRunning: () => Promise<boolean>
}

export type Readiness =
  | { readonly kind: 'ready' }
  | { readonly kind: 'exited' }
  /** @property last the last answer, such as `status 503`; `no answer` without one */
  | { readonly kind: 'never'; readonly last: string }

/** Requests the path until the service is ready. @throws the reason of the signal if it is aborted */
export async function awaitReadiness({
  baseUrl,
  ready,
  readyMs,
  signal,
  isRunning,
}: ReadinessOptions): Promise<Readiness> {
  const until = performance.now() + readyMs
  let last = 'no answer'
  while (performance.now() < until) {
    signal.throwIfAborted()
    if (!(await isRunning())) return { kind: 'exited' }
    const status = await statusOf(`${baseUrl}${ready ?? '/'}`, signal)
    if (status !== null) {
      if (ready === null || status < 400) return { kind: 'ready' }
      last = `status ${status}`
    }
    await delay(pollMs, undefined, { signal }).catch(() => {})
  }
  signal.throwIfAborted()
  return { kind: 'never', last }
}

async function statusOf(url: string, signal: AbortSignal): Promise<number | null> {
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    const response = await fetch(url, { signal: limited, redirect: 'manual' })
    await response.body?.cancel()
    return response.status
  } catch {
    return null
  }
}

const shownLines = 20
const maxLineLength = 1000

/** The last lines that a container wrote to its standard output and standard error. */
export async function lastLines(api: Engine['api'], id: string): Promise<readonly string[]> {
  const container = api.getContainer(id)
  const { Config } = await container.inspect()
  const bytes = await container.logs({
    follow: false,
    stdout: true,
    stderr: true,
    tail: shownLines,
  })
  const text = (Config.Tty ? bytes : withoutHeaders(bytes)).toString('utf8')
  return text
    .split(/\r?\n/)
    .map((line) => line.trimEnd().slice(0, maxLineLength))
    .filter((line) => line !== '')
    .slice(-shownLines)
}

/**
 * The engine frames the output of a container without a terminal: a header of 8 bytes, the last four of
 * them the length of the payload, big-endian (Docker Engine API, ContainerAttach).
 */
export function withoutHeaders(bytes: Buffer): Buffer {
  const payloads: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4)
    payloads.push(bytes.subarray(at + 8, end))
    at = end
  }
  return Buffer.concat(payloads)
}
