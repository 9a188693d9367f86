/** The reference server: the whole service, with a deterministic model. */

export { EngineSyntaxError, parseEngine } from './engine/engine.ts'
export { type Journal, requestJournal } from './observability/journal.ts'
export { type Pace, PaceSyntaxError, parsePace, type ServerPace } from './runtime/pace.ts'
export {
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
} from './server.ts'
export type { Patch, Services } from './services.ts'
export { openStore, storeName } from './store/open-store.ts'
export type { Store } from './store/sql/store.ts'
export { StoreOpenError } from './store/types.ts'
