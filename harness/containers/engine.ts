import type { ContainerRuntimeClient } from 'testcontainers'
import { ConfigurationError } from '../conformance/errors.ts'

export type Testcontainers = typeof import('testcontainers')

export interface Engine {
  readonly testcontainers: Testcontainers
  readonly client: ContainerRuntimeClient
  /** API of the engine. */
  readonly api: ContainerRuntimeClient['container']['dockerode']
}

/**
 * Loads testcontainers and connects to the engine of its configuration: DOCKER_HOST, the current Docker
 * context, the default socket.
 * @throws ConfigurationError if the package is not installed, or no engine answers
 */
export async function openEngine(): Promise<Engine> {
  // Containers are found again by their labels: no helper container has to be pulled for that.
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
