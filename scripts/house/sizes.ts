import { dirname } from 'node:path'
import { isProduct, type Repository } from './repository.ts'

const maxFiles = 12

/** Folders with more source files, with the reason. */
const largeFolders: Readonly<Record<string, string>> = {
  'harness/proof/test-support/second-server': 'a whole server, one idea a file',
  scripts: 'entry points, one for each npm script or measurement',
  contract: 'the shared vocabulary, one idea a file',
  'harness/cli/commands': 'one command a file',
}

/** Folders with too many source files, and exceptions that are not needed. */
export function sizeProblems(repository: Repository): readonly string[] {
  const products = [...repository.keys()].filter(isProduct)
  const folders = Map.groupBy(products, (path) => dirname(path))
  const isLarge = (folder: string) => (folders.get(folder)?.length ?? 0) > maxFiles
  const isWhole = repository.has('package.json')
  return [
    ...[...folders.keys()]
      .filter((folder) => isLarge(folder) && !(folder in largeFolders))
      .map((folder) => `${folder}: more than ${maxFiles} source files`),
    ...Object.keys(largeFolders)
      .filter((folder) => isWhole && !isLarge(folder))
      .map((folder) => `scripts/house/sizes.ts: ${folder} is no exception any more`),
  ]
}

const errorClass = /class (\w+) extends \w+ \{[^}]*?override readonly name = '(\w+)'/g

/** Errors whose `name` is not that of their class. */
export function errorNameProblems(repository: Repository): readonly string[] {
  return [...repository].flatMap(([path, text]) =>
    [...text.matchAll(errorClass)]
      .filter(([, className, name]) => className !== name)
      .map(([, className, name]) => `${path}: the name of ${className} is ${name}`),
  )
}
