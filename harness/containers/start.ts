import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf } from '../../contract/text.ts'
import { ConfigurationError, TargetUnusableError } from '../conformance/errors.ts'
import { temporaryFolder } from '../conformance/recording/result-files.ts'
import {
  awaitReadiness,
  type Engine,
  lastLines,
  leftoversOf,
  openEngine,
  projectLabel,
  removeRun,
  runLabel,
  runName,
} from './engine.ts'

export type RunningContainer = Readonly<Awaited<ReturnType<typeof startContainer>>>

export interface StartOptions {
  readonly signal: AbortSignal
  /** Called with a line about leftovers of killed runs that were removed. */
  readonly note: (line: string) => void
}

/**
 * Starts a service in a container and waits until it is ready. If it does not become ready, or the signal is
 * aborted, everything that was started is removed.
 *
 * @throws ConfigurationError without an engine or the image; TargetUnusableError if it exits or never becomes
 * ready; the reason of the signal
 */
export async function startContainer(source: ContainerSource, { signal, note }: StartOptions) {
  const engine = await openEngine()
  const { api } = engine
  for (const ended of (await leftoversOf(api)).ended) {
    await removeRun(api, ended)
    note(`removed the containers of ${ended}, which was killed`)
  }
  const run = runName()
  const remove = () => removeRun(api, run)
  try {
    signal.throwIfAborted()
    const { from, ready, readyMs } = source
    const starting = { source, engine, run }
    const { id, baseUrl } =
      from.kind === 'image'
        ? await startImage(starting, from.image, signal)
        : await startCompose(starting, from)
    const container = api.getContainer(id)
    const isRunning = async () => (await container.inspect()).State.Running
    const readiness = await awaitReadiness({ baseUrl, ready, readyMs, signal, isRunning })
    if (readiness.kind !== 'ready') {
      const { State } = await container.inspect()
      const what =
        readiness.kind === 'exited'
          ? `exited with code ${State.ExitCode} before it was ready`
          : `was not ready after ${readyMs / 1000} s: GET ${ready ?? '/'} on port ${source.port}: ${readiness.last}`
      throw notReady(source, what, await lastLines(api, id))
    }
    const { Config, Image } = await container.inspect()
    const { RepoDigests = [] } = await api.getImage(Image).inspect()
    return {
      /** Image as given, such as `registry.example.org/chat:1.4`. */
      image: Config.Image,
      /** Content address of the image, `sha256:…`: that of the registry if it has one, or its id. */
      digest: RepoDigests[0]?.split('@')[1] ?? Image,
      baseUrl,
      service: from.kind === 'compose' ? from.service : null,
      /** The last lines of its output, standard error included. */
      lastLines: () => lastLines(api, id),
      /** Removes the container with its networks and volumes. */
      remove,
    }
  } catch (error) {
    await remove()
    signal.throwIfAborted()
    throw error
  }
}

/** A service in a container, as the command line describes it. */
export interface ContainerSource {
  readonly from:
    | { readonly kind: 'image'; readonly image: string }
    | { readonly kind: 'compose'; readonly file: string; readonly service: string }
  /** Port of the service in its container. */
  readonly port: number
  /** Environment of the container; for Compose, variables of the file. */
  readonly env: Readonly<Record<string, string>>
  /** Path that answers with a status below 400 when the service is ready; null: any answer counts. */
  readonly ready: string | null
  readonly readyMs: number
}

/** Error of a container that does not become ready, with its last lines. */
function notReady(
  { from }: ContainerSource,
  what: string,
  lines: readonly string[],
): TargetUnusableError {
  const name = from.kind === 'image' ? `the container of ${from.image}` : `service ${from.service}`
  const log = lines.length === 0 ? ['it printed nothing'] : ['its last lines:', ...lines]
  return new TargetUnusableError('E_UNREACHABLE', [`${name} ${what}`, ...log].join('\n'))
}

/** Replaces the wait of testcontainers by our own, which Ctrl-C ends. */
const immediately = {
  waitUntilReady: () => Promise.resolve(),
  withStartupTimeout: () => immediately,
  isStartupTimeoutSet: () => true,
  getStartupTimeout: () => 0,
}

/** Host of the engine for a URL; `localhost` may resolve to an address that is not published. */
function hostOf({ client }: Engine): string {
  const { host } = client.info.containerRuntime
  return host === 'localhost' ? '127.0.0.1' : host
}

interface Starting {
  readonly source: ContainerSource
  readonly engine: Engine
  /** Name of the run. */
  readonly run: string
}

/**
 * Starts a container of an image, pulled if it is not on this machine, labeled with the name of the run; it may not be
 * ready.
 */
async function startImage({ source, engine, run }: Starting, image: string, signal: AbortSignal) {
  const { port, env } = source
  const { GenericContainer, PullPolicy } = engine.testcontainers
  await requireImage(engine, image)
  signal.throwIfAborted()
  const container = new GenericContainer(image)
    .withExposedPorts(port)
    .withEnvironment({ ...env })
    .withLabels({ [runLabel]: run })
    .withAutoCleanup(false)
    .withPullPolicy(PullPolicy.neverPull())
    .withWaitStrategy(immediately)
  try {
    const started = await container.start()
    const baseUrl = `http://${hostOf(engine)}:${started.getMappedPort(port)}`
    return { id: started.getId(), baseUrl }
  } catch (error) {
    // It may have been created, but not run.
    const { api } = engine
    const filters = { label: [`${runLabel}=${run}`] }
    const [created] = await api.listContainers({ all: true, filters })
    if (created === undefined) throw error
    const { State } = await api.getContainer(created.Id).inspect()
    const what = State.Error === '' ? `exited with code ${State.ExitCode}` : State.Error
    throw notReady(source, `did not start: ${what}`, await lastLines(api, created.Id))
  }
}

/** @throws ConfigurationError if the image is neither on this machine nor can be pulled */
async function requireImage({ testcontainers, client }: Engine, image: string): Promise<void> {
  try {
    const name = testcontainers.ImageName.fromString(image)
    if (await client.image.exists(name)) return
    await client.image.pull(name)
    // An error within the stream of a pull is not an error of the call.
    await client.container.dockerode.getImage(name.string).inspect()
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigurationError([
      `--image ${image}: the image is not on this machine and cannot be pulled: ${reason}`,
    ])
  }
}

/** Starts a service of a Compose file, with its dependencies, as a separate project. */
async function startCompose(
  { source: { port, env }, engine, run }: Starting,
  { file, service }: { readonly file: string; readonly service: string },
) {
  if (!existsSync(file)) throw new ConfigurationError([`--compose ${file}: no such file`])
  const folder = temporaryFolder('compose')
  const published = join(folder, 'published.json')
  // Publishes an additional port of this machine.
  writeFileSync(published, JSON.stringify({ services: { [service]: { ports: [`${port}`] } } }))
  const { DockerComposeEnvironment } = engine.testcontainers
  const path = resolve(file)
  try {
    await new DockerComposeEnvironment(dirname(path), [basename(path), published])
      .withProjectName(run)
      .withEnvironment({ ...env })
      .withAutoCleanup(false)
      .withDefaultWaitStrategy(immediately)
      .withClientOptions(composeProgram())
      .up([service])
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    const reason = messageOf(error)
    throw new ConfigurationError([`--compose ${file}: ${service} did not start: ${reason}`])
  } finally {
    rmSync(folder, { recursive: true })
  }
  const label = [`${projectLabel}=${run}`, `com.docker.compose.service=${service}`]
  const [found] = await engine.api.listContainers({ all: true, filters: { label } })
  if (found === undefined)
    throw new ConfigurationError([`--service ${service}: it has no container`])
  const { NetworkSettings } = await engine.api.getContainer(found.Id).inspect()
  const bindings = NetworkSettings.Ports[`${port}/tcp`] ?? []
  // The port for IPv6 may differ.
  const binding = bindings.find(({ HostIp }) => !HostIp.includes(':')) ?? bindings[0]
  return { id: found.Id, baseUrl: `http://${hostOf(engine)}:${binding?.HostPort ?? port}` }
}

/** The Compose plugin of Docker, or the older docker-compose. @throws ConfigurationError without one */
function composeProgram() {
  if (spawnSync('docker', ['compose', 'version']).status === 0) return {}
  if (spawnSync('docker-compose', ['version']).status === 0) {
    return { executable: { standalone: true } } as const
  }
  throw new ConfigurationError([
    '--compose needs Docker Compose: neither docker compose nor docker-compose is installed',
  ])
}
