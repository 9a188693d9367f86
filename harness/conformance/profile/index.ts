export { loadProfile } from './load.ts'
export type { TargetProfile } from './schema.ts'
