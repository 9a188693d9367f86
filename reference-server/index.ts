/** The reference server: the whole service, with a model whose every word can be computed. */

export { EngineSyntaxError, parseEngine } from './engine/options.ts'
export { type Pace, PaceSyntaxError, parsePace, type ServerPace } from './runtime/pace.ts'
export {
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
} from './server.ts'
export type { Patch, Services } from './services.ts'
