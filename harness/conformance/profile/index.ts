export { type Endpoint, endpointsOf, profileOfEndpoint } from './endpoints.ts'
export { loadProfile, membersOf } from './load.ts'
export { networkOf, proxyUrl } from './network.ts'
export type { TargetProfile } from './schema.ts'
