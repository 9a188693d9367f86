/** Faults and dialects by name. A server without deviations loads nothing from this folder. */

export {
  type DetectingServer,
  detectingServers,
  firstMilliseconds,
  unlessRecognized,
} from './detecting.ts'
export {
  combinationNamed,
  combineDialects,
  composeDialects,
  composedDialects,
  dialects,
} from './dialects/index.ts'
export { delayAnswers } from './dialects/wire.ts'
export { faults, loadFaults } from './faults/index.ts'
export { type GeneratedFault, generatedFault, generatedFaultNamed } from './grammar/draw.ts'
export { type Circumstance, watchRequests } from './grammar/history.ts'
export { operationOf } from './patches/requests.ts'
export { compose } from './patches/services.ts'
export { statefulFaults } from './stateful.ts'
export type { Dialect, Fault } from './table.ts'
