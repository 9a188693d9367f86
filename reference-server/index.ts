/** The reference server: the whole service, with a model whose every word can be computed. */

export type { Patch as Refit, Services as Parts } from './parts.ts'
export { type Pace, PaceSyntaxError, parsePace, type ServerPace } from './runtime/pace.ts'
export {
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
} from './server.ts'
