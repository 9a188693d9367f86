/** The reference server as the flags of `serve` describe it; problems are errors of a flag. */
import { messageOf } from '../../../contract/text.ts'
import type {
  ReferenceServer,
  ReferenceServerOptions,
  Store,
} from '../../../reference-server/index.ts'
import { ConfigurationError, refusing } from '../../conformance/errors.ts'
import { type FlagsOf, flagTable } from '../flags.ts'
import { optionalDuration } from '../values.ts'

const reference = () => import('../../../reference-server/index.ts')

/** @throws ConfigurationError that says why it cannot listen */
export async function listen(options: ReferenceServerOptions): Promise<ReferenceServer> {
  const { startReferenceServer } = await reference()
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
export async function speedOptions({
  pace,
  engine,
}: {
  readonly pace?: string
  readonly engine?: string
}): Promise<Pick<ReferenceServerOptions, 'pace' | 'engine'>> {
  if (pace !== undefined && engine !== undefined) {
    throw new ConfigurationError(['--engine sets the pace: pass --pace or --engine, not both'])
  }
  const { EngineSyntaxError, PaceSyntaxError, parseEngine, parsePace } = await reference()
  if (pace !== undefined)
    return { pace: refusing(PaceSyntaxError, () => parsePace(pace), '--pace') }
  if (engine === undefined) return {}
  return { engine: refusing(EngineSyntaxError, () => parseEngine(engine), '--engine') }
}

/**
 * The store that `--store` names; without one, the server has its own, in memory.
 * @throws ConfigurationError for a store that cannot be opened
 */
export async function openedStore({
  store: text,
  lease,
}: ServiceFlags): Promise<{ readonly store?: Store; readonly name: string }> {
  if (text === 'memory') return { name: text }
  const { openStore, StoreOpenError, storeName } = await reference()
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

/** Flags of a server that stores its state, and whose runs others take over when it ends. Times in milliseconds. */
export function serviceFlags() {
  return flagTable(
    `
    --store <store>=memory  storage of chats, files and idempotency keys: memory, sqlite:FILE or postgres://...
    --lease <duration>:time  lease of a running request (default: 10s)
    --running-repeat <answer>  early repeat: 409 or wait (default: 409)
    --drain-delay <duration>:optionalDuration  after SIGTERM, time between /readyz failing and 503 to new requests
      (default: none)
    --drain-timeout <duration>:time=15s  after SIGTERM, time for open responses to finish`,
    { answer: ['409', 'wait'], optionalDuration },
  )
}

export type ServiceFlags = FlagsOf<typeof serviceFlags>

export function serviceOptions({
  runningRepeat,
  drainDelay,
  drainTimeout,
}: ServiceFlags): ReferenceServerOptions {
  return {
    closeDeadlineMs: drainTimeout,
    ...(drainDelay === undefined ? {} : { drainDelayMs: drainDelay }),
    ...(runningRepeat === undefined ? {} : { runningRepeat }),
  }
}
