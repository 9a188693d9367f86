import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf } from '../../contract/error-message.ts'
import { ConfigurationError } from '../conformance/errors.ts'
import type { Engine } from './engine.ts'
import { projectLabel } from './removal.ts'
import {
  type ComposeSource,
  type ContainerSource,
  hostOf,
  immediately,
  type Starter,
} from './source.ts'

/** Starts a service of a Compose file, with the services that it depends on, as a project of its own. */
export function composeStarter(
  { port, env }: ContainerSource,
  { file, service }: ComposeSource,
): Starter {
  return async (engine, run) => {
    if (!existsSync(file)) throw new ConfigurationError([`--compose ${file}: no such file`])
    const folder = mkdtempSync(join(tmpdir(), 'chatgen-compose-'))
    const published = join(folder, 'published.json')
    // An own port of this machine, besides those of the file.
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
    return startedService(engine, run, { service, port })
  }
}

async function startedService(
  engine: Engine,
  run: string,
  { service, port }: { readonly service: string; readonly port: number },
) {
  const label = [`${projectLabel}=${run}`, `com.docker.compose.service=${service}`]
  const [found] = await engine.api.listContainers({ all: true, filters: { label } })
  if (found === undefined)
    throw new ConfigurationError([`--service ${service}: it has no container`])
  const { NetworkSettings } = await engine.api.getContainer(found.Id).inspect()
  const bindings = NetworkSettings.Ports[`${port}/tcp`] ?? []
  // The port of IPv6 may be another one.
  const binding = bindings.find(({ HostIp }) => !HostIp.includes(':')) ?? bindings[0]
  return { id: found.Id, baseUrl: `http://${hostOf(engine)}:${binding?.HostPort ?? port}` }
}

/** The Compose plugin of Docker, or the program that came before it. @throws ConfigurationError without one */
function composeProgram() {
  if (spawnSync('docker', ['compose', 'version']).status === 0) return {}
  if (spawnSync('docker-compose', ['version']).status === 0) {
    return { executable: { standalone: true } } as const
  }
  throw new ConfigurationError([
    '--compose needs Docker Compose: neither docker compose nor docker-compose is installed',
  ])
}
