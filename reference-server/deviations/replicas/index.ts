/** Faults and dialects of a service with several replicas, which share one store. */
export { replicaDialects, replicationMs } from './dialects.ts'
export { replicaFaults } from './faults.ts'
export type { PatchReplicas, ReplicaDialect, ReplicaFault } from './types.ts'
