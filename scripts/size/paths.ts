/** Declared paths through the code that the size table counts; a file that is gone has to leave its list. */

/**
 * Files that one server-sent event of a load run passes, from the socket to the histogram: over HTTP/1.1 and
 * without Content-Encoding, as nearly every event does.
 */
export const eventPath: readonly string[] = [
  'harness/load/http/http1/connection.ts',
  'harness/load/http/http1/response-parser.ts',
  'harness/load/engine/in-flight-request.ts',
  'harness/judges/completions/judge.ts',
  'harness/judges/sse/alike.ts',
  'harness/judges/sse/scanner.ts',
  'harness/load/engine/worker-context.ts',
  'harness/load/engine/worker.ts',
  'harness/load/run.ts',
  'harness/load/metrics/run-metrics.ts',
  'harness/load/metrics/latency-recorder.ts',
  'harness/load/metrics/samples/histogram.ts',
]

/** Files and folders that a new requirement changes by hand; `npm run docs` writes the pages. */
export const requirementPlaces: readonly string[] = [
  'contract/statements.ts',
  'contract/catalog',
  'suites',
  'reference-server/deviations/faults',
]

/** Files that a program writes; the lock file is counted nowhere. */
export const generatedFiles: readonly string[] = [
  'docs/internals/proof.md',
  'docs/target-profile.md',
  'docs/interface',
  'reference-server/openapi/examples.json',
  'contract/catalog/__snapshots__',
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
  'reports/catalog',
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
