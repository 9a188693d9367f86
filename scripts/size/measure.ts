import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { repositoryFiles } from '../house/repository.ts'
import { need, packedInto, root } from '../image/engine.ts'
import { scriptFolder } from '../options.ts'

/** Figures of the table; a figure that was not measured is missing. */
export interface Measured {
  readonly allLines: number
  readonly allFiles: number
  readonly sourceLines: number
  readonly checkLines: number
  readonly eventFiles: number
  readonly requirementPlaces: number
  readonly generatedLines: number
  readonly pages: number
  readonly installedMegabytes?: number
  readonly installedPackages?: number
}

/** Figures of the working copy, and declared paths that it does not have. */
export function measureRepository() {
  const files = repositoryFiles()
  const sources = files.filter((path) => path.endsWith('.ts'))
  const within = (places: readonly string[], paths: readonly string[]) =>
    paths.filter((path) => places.some((place) => path === place || path.startsWith(`${place}/`)))
  const declared = [...checkSources, ...eventPath, ...requirementPlaces, ...generatedFiles]
  return {
    figures: {
      allLines: linesOf(sources),
      allFiles: sources.length,
      sourceLines: linesOf(sources.filter((path) => !path.endsWith('.test.ts'))),
      checkLines: linesOf(within(checkSources, sources)),
      eventFiles: eventPath.length,
      requirementPlaces: requirementPlaces.length,
      generatedLines: linesOf(within(generatedFiles, files)),
      pages: files.filter((path) => /^docs\/[^/]+\.md$/.test(path)).length,
    },
    missing: [...new Set(declared)].filter((place) => within([place], files).length === 0),
  }
}

function linesOf(paths: readonly string[]): number {
  return paths
    .map((path) => readFileSync(join(root, path)).filter((byte) => byte === 10).length)
    .reduce((sum, lines) => sum + lines, 0)
}

/** Declared paths through the code that the size table counts; deleted files must be removed from their list. */

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
  'harness/cli/exit-codes.ts',
  'harness/cli/flags.ts',
  'harness/cli/values.ts',
  'harness/cli/check',
  'harness/cli/commands/check.ts',
  'harness/cli/results',
  'harness/cli/target',
  'harness/cli/terminal',
]

/** Size of a production install of the packed package: 10^6 bytes, and packages, this one included. */
export function installedSize() {
  const project = scriptFolder('size')
  writeFileSync(join(project, 'package.json'), '{}')
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  need('npm', ['install', '--omit=dev', ...quiet, packedInto(project)], { cwd: project })
  const modules = join(project, 'node_modules')
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path, stats: lstatSync(join(modules, path)) }))
    .filter(({ stats }) => stats.isFile())
  return {
    installedMegabytes: Math.round(files.reduce((sum, { stats }) => sum + stats.size, 0) / 1e6),
    installedPackages: files.filter(({ path }) => isManifest(path)).length,
  }
}

/** True for the package.json of a package, and not for one further down in it. */
function isManifest(path: string): boolean {
  if (basename(path) !== 'package.json') return false
  const name = `node_modules/${dirname(path)}`
  return /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@.][^/]*$/.test(name)
}
