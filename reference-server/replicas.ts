/** Several replicas of the server in one process, which share one store. */
import { seededBases } from './seed.ts'
import { type ReferenceServerOptions, startReferenceServer } from './server.ts'
import type { Patch } from './services.ts'
import { memoryStore } from './store/memory/store.ts'

export interface ReplicasOptions
  extends Omit<ReferenceServerOptions, 'patch' | 'store' | 'port' | 'keys'> {
  readonly count: number
  /** Valid on every replica, each for the same caller. */
  readonly keys: readonly string[]
  /** Patch of each replica, by its number from 0. */
  readonly patch?: (replica: number) => Patch
}

export interface Replicas {
  readonly urls: readonly string[]
  close(): Promise<void>
}

export async function startReplicas({
  count,
  patch = () => (services) => services,
  ...options
}: ReplicasOptions): Promise<Replicas> {
  const store = memoryStore({ bases: seededBases() })
  const servers = await Promise.all(
    Array.from({ length: count }, (_, replica) =>
      startReferenceServer({ ...options, store, patch: patch(replica) }),
    ),
  )
  return {
    urls: servers.map(({ url }) => url),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}
