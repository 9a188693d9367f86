/** The package as a library: checks, load runs and a reference server in the tests of its users. */
export type {
  ConformanceReport,
  RequirementResult,
  Verdict,
} from '../../contract/report/conformance.ts'
export type { LoadReport } from '../../reports/load/model/report.ts'
export {
  ChatgenError,
  type ConformanceOptions,
  defineTarget,
  type LoadOptions,
  runConformance,
  runLoad,
  type Target,
} from './chatgen-process.ts'
export {
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
} from './reference-server.ts'
