export { loadProfile, parseProfile } from './load.ts'
export { type TargetProfile, targetProfile } from './schema.ts'
