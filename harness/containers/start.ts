import { awaitReadiness, lastLines } from './readiness.ts'
import { leftoversOf, openEngine, removeRun, runName } from './removal.ts'
import { type ContainerSource, notReady, startCompose, startImage } from './source.ts'

export interface RunningContainer {
  readonly baseUrl: string
  /** Image as given, such as `registry.example.org/chat:1.4`. */
  readonly image: string
  /** Content address of the image, `sha256:…`: that of the registry if it has one, or its id. */
  readonly digest: string
  readonly service: string | null
  /** The last lines of its output, standard error included. */
  readonly lastLines: () => Promise<readonly string[]>
  /** Removes the container with its networks and volumes. */
  readonly remove: () => Promise<void>
}

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
export async function startContainer(
  source: ContainerSource,
  { signal, note }: StartOptions,
): Promise<RunningContainer> {
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
      image: Config.Image,
      digest: RepoDigests[0]?.split('@')[1] ?? Image,
      baseUrl,
      service: from.kind === 'compose' ? from.service : null,
      lastLines: () => lastLines(api, id),
      remove,
    }
  } catch (error) {
    await remove()
    signal.throwIfAborted()
    throw error
  }
}
