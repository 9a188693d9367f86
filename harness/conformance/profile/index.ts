export { type Endpoint, endpointsOf, profileOfEndpoint } from './endpoints.ts'
export { networkOf, proxyUrl } from './network.ts'
export { loadProfile, membersOf } from './read-profile.ts'
export type { TargetProfile } from './schema.ts'
