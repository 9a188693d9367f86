import { dirname } from 'node:path'
import { isProduct, isSource, type Repository } from './repository.ts'

const maxFiles = 12
const maxLines = 250

/** Folders with more source files, with the reason. */
const largeFolders: Readonly<Record<string, string>> = {
  'harness/proof/test-support/second-server': 'a whole server, one idea a file',
  'reference-server/test-support': 'one helper of tests a file',
  scripts: 'entry points, one for each npm script or measurement',
  contract: 'the shared vocabulary, one idea a file',
  'harness/cli/commands': 'one command a file',
}

/** Source files that are longer, with the reason. */
const longFiles: Readonly<Record<string, string>> = {
  'contract/catalog/openai/completions.ts': 'requirements of one area',
  'contract/statements.ts': 'data: the owner of each statement of the document',
  'harness/client/network/http2.ts': 'one protocol client',
  'harness/certification/test-support/edits.ts': 'data: one edit of a bundle after another',
  'harness/load/engine/in-flight-request.ts': 'one request in flight: bytes, times and outcome',
  'reports/load/test-support/sketch.ts': 'data: one report of a load run',
  'suites/v3/attachments.scenario.ts': 'one section of the document',
}

/** Folders with too many source files, files with too many lines, and exceptions that are not needed. */
export function sizeProblems(repository: Repository): readonly string[] {
  const products = [...repository].filter(([path]) => isProduct(path))
  const isWhole = repository.has('package.json')
  const folders = Map.groupBy(products, ([path]) => dirname(path))
  const crowded = [...folders]
    .filter(([folder, files]) => files.length > maxFiles && !(folder in largeFolders))
    .map(([folder, files]) => `${folder}: ${files.length} source files, at most ${maxFiles}`)
  const long = products
    .map(([path, text]) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ path, lines }) => isSource(path) && lines > maxLines && !(path in longFiles))
    .map(({ path, lines }) => `${path}: ${lines} lines, at most ${maxLines}`)
  const stale = [
    ...Object.keys(largeFolders).filter((folder) => {
      const files = folders.get(folder)
      return files === undefined ? isWhole : files.length <= maxFiles
    }),
    ...Object.keys(longFiles).filter((path) => {
      const text = repository.get(path)
      return text === undefined ? isWhole : text.split('\n').length - 1 <= maxLines
    }),
  ].map((path) => `scripts/house/sizes.ts: ${path} is no exception any more`)
  return [...crowded, ...long, ...stale]
}
