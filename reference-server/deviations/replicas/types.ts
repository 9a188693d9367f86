import type { RequirementId } from '../../../contract/index.ts'
import type { Patch } from '../../services.ts'

/** Makes the patches of the replicas of one service, by their number from 0. */
export type PatchReplicas = () => (replica: number) => Patch

/** Violation of a service with several replicas; each replica conforms if it is the only one. */
export interface ReplicaFault {
  readonly name: string
  /** Violation, in a sentence. */
  readonly summary: string
  /** Requirements of which it breaks at least one across replicas; the seed decides which requests are affected. */
  readonly breaks: readonly [RequirementId, ...RequirementId[]]
  readonly patches: PatchReplicas
}

/** Legal behavior of a service with several replicas. */
export interface ReplicaDialect {
  readonly name: string
  /** Difference from replicas that behave like one server, as a sentence. */
  readonly summary: string
  readonly patches: PatchReplicas
}
