/** The reference server as the flags of `serve` describe it; problems are errors of a flag. */
import { messageOf } from '../../../contract/error-message.ts'
import type {
  ReferenceServer,
  ReferenceServerOptions,
  Store,
} from '../../../reference-server/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { ServiceFlags } from './service-flags.ts'

/** @throws ConfigurationError that says why it cannot listen */
export async function listen(options: ReferenceServerOptions): Promise<ReferenceServer> {
  const { startReferenceServer } = await import('../../../reference-server/index.ts')
  try {
    return await startReferenceServer(options)
  } catch (error) {
    await options.store?.close()
    throw new ConfigurationError([`cannot listen: ${reasonOf(error, options)}`])
  }
}

function reasonOf(error: unknown, { host, port }: ReferenceServerOptions): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    return `port ${port} of ${host} is in use (EADDRINUSE); choose another with --port, or --port 0 for a free one`
  }
  if (code === 'EACCES')
    return `port ${port} requires root privileges (EACCES); choose another with --port`
  return messageOf(error)
}

/** @throws ConfigurationError */
export async function readPace(text: string) {
  const { PaceSyntaxError, parsePace } = await import('../../../reference-server/index.ts')
  try {
    return parsePace(text)
  } catch (error) {
    if (error instanceof PaceSyntaxError) throw new ConfigurationError([`--pace: ${error.message}`])
    throw error
  }
}

/** @throws ConfigurationError */
export async function readEngine(text: string) {
  const { EngineSyntaxError, parseEngine } = await import('../../../reference-server/index.ts')
  try {
    return parseEngine(text)
  } catch (error) {
    if (error instanceof EngineSyntaxError) {
      throw new ConfigurationError([`--engine: ${error.message}`])
    }
    throw error
  }
}

/**
 * The store that `--store` names; without one, the server has its own, in memory.
 *
 * @throws ConfigurationError for a store that cannot be opened
 */
export async function openedStore({
  store: text,
  lease,
}: ServiceFlags): Promise<{ readonly store?: Store; readonly name: string }> {
  if (text === 'memory') return { name: text }
  const { openStore, StoreOpenError, storeName } = await import(
    '../../../reference-server/index.ts'
  )
  try {
    return {
      store: await openStore(text, lease === undefined ? {} : { leaseMs: lease }),
      name: storeName(text),
    }
  } catch (error) {
    if (error instanceof StoreOpenError) throw new ConfigurationError([`--store: ${error.message}`])
    throw error
  }
}
