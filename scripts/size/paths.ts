/** Declared paths through the code that the size table counts; a file that is gone has to leave its list. */

/** Files that one server-sent event of a load run passes, from the socket to the histogram. */
export const eventPath: readonly string[] = [
  'harness/load/http/dial.ts',
  'harness/load/http/http1/connection.ts',
  'harness/load/http/http1/response-parser.ts',
  'harness/load/engine/in-flight-request.ts',
  'harness/load/http/encoded-body.ts',
  'harness/load/judging/answer-judge.ts',
  'harness/judges/completions/judge.ts',
  'harness/judges/sse/scanner.ts',
  'harness/judges/sse/alike.ts',
  'harness/load/engine/request-outcome.ts',
  'harness/load/engine/request-record.ts',
  'harness/load/engine/worker-context.ts',
  'harness/load/engine/worker.ts',
  'harness/load/engine/worker-pool.ts',
  'harness/load/metrics/run-recorder.ts',
  'harness/load/metrics/run-metrics.ts',
  'harness/load/metrics/latency-recorder.ts',
  'harness/load/metrics/samples/histogram.ts',
]

/** Files and folders that a new requirement changes by hand; `npm run docs` writes the pages. */
export const requirementPlaces: readonly string[] = [
  'contract/statements.ts',
  'contract/catalogue',
  'suites',
  'reference-server/deviations/faults',
]

/** Files that a program writes; the lock file is counted nowhere. */
export const generatedFiles: readonly string[] = [
  'docs/internals/proof.md',
  'docs/target-profile.md',
  'docs/interface',
  'reference-server/openapi/examples.json',
  'contract/catalogue/__snapshots__',
]

/** Folders and files that `chatgen check` consists of, with their tests. */
export const checkSources: readonly string[] = [
  'bin',
  'contract',
  'fixtures',
  'harness/judges',
  'harness/client',
  'harness/conformance',
  'suites',
  'reports/conformance',
  'reports/catalogue',
  'reports/html',
  'reports/text',
  'harness/cli/main.ts',
  'harness/cli/command.ts',
  'harness/cli/exit-codes.ts',
  'harness/cli/flags.ts',
  'harness/cli/values.ts',
  'harness/cli/check',
  'harness/cli/commands/check.ts',
  'harness/cli/results',
  'harness/cli/target',
  'harness/cli/terminal',
]
