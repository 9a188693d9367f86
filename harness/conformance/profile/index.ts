export { networkOf, proxyUrl } from './network.ts'
export {
  type Endpoint,
  endpointsOf,
  loadProfile,
  membersOf,
  profileOfEndpoint,
} from './read-profile.ts'
export type { TargetProfile } from './schema.ts'
