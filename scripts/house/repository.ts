import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { need, root } from '../image/engine.ts'

/** The files of a repository that are checked, by path. */
export type Repository = ReadonlyMap<string, string>

/** All tracked and new source files and pages of this repository, with their text. */
export function readRepository(): Repository {
  const textOf = (path: string) =>
    isSource(path) || isPage(path) ? readFileSync(join(root, path), 'utf8') : ''
  return new Map(repositoryFiles().map((path) => [path, textOf(path)]))
}

/** Paths of all tracked and new files. */
export function repositoryFiles(): readonly string[] {
  const paths = need('git', ['ls-files', '-co', '--exclude-standard', '-z']).split('\0')
  return paths.filter((path) => path !== '' && existsSync(join(root, path)))
}

export function isSource(path: string): boolean {
  return /\.(ts|cjs|mjs)$/.test(path)
}

export function isPage(path: string): boolean {
  return path.endsWith('.md')
}

/** Source that is not a test. */
export function isProduct(path: string): boolean {
  return isSource(path) && !path.endsWith('.test.ts')
}

const maxFiles = 12

/** Folders with more source files, with the reason. */
const largeFolders: Readonly<Record<string, string>> = {
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
      .map((folder) => `scripts/house/repository.ts: ${folder} is no exception any more`),
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
