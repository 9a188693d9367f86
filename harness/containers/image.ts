import { ConfigurationError } from '../conformance/errors.ts'
import type { Engine } from './engine.ts'
import { lastLines } from './log.ts'
import { runLabel } from './owner.ts'
import {
  type ContainerSource,
  hostOf,
  type ImageSource,
  immediately,
  notReady,
  type Starter,
} from './source.ts'

/** Starts a container of an image, pulled if it is not on this machine. */
export function imageStarter(source: ContainerSource, { image }: ImageSource): Starter {
  const { port, env } = source
  return async (engine, run, signal) => {
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
      throw (await failureOf(source, engine, run)) ?? error
    }
  }
}

/** @throws ConfigurationError if the image is neither on this machine nor can be pulled */
async function requireImage(
  { testcontainers: { ImageName }, client }: Engine,
  image: string,
): Promise<void> {
  let reason = 'the registry does not have it'
  try {
    const name = ImageName.fromString(image)
    if (await client.image.exists(name)) return
    await client.image.pull(name)
    // An error within the stream of a pull is not one of the call.
    await client.container.dockerode.getImage(name.string).inspect()
    return
  } catch (error) {
    if (error instanceof Error) reason = error.message
  }
  throw new ConfigurationError([
    `--image ${image}: the image is not on this machine and cannot be pulled: ${reason}`,
  ])
}

/** Reason of a container that was created and does not run; undefined if there is none. */
async function failureOf(source: ContainerSource, { api }: Engine, run: string) {
  const filters = { label: [`${runLabel}=${run}`] }
  const [created] = await api.listContainers({ all: true, filters })
  if (created === undefined) return undefined
  const { State } = await api.getContainer(created.Id).inspect()
  const what = State.Error === '' ? `exited with code ${State.ExitCode}` : State.Error
  return notReady(source, `did not start: ${what}`, await lastLines(api, created.Id))
}
