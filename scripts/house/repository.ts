import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The files of a repository that are checked, by path. */
export type Repository = ReadonlyMap<string, string>

/** All tracked and new source files and pages of this repository, with their text. */
export function readRepository(): Repository {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
  const paths = listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
  return new Map(
    paths.map((path) => [path, isText(path) ? readFileSync(join(root, path), 'utf8') : '']),
  )
}

function isText(path: string): boolean {
  return isSource(path) || isPage(path)
}

export function isSource(path: string): boolean {
  return /\.(ts|cjs|mjs)$/.test(path)
}

export function isPage(path: string): boolean {
  return path.endsWith('.md')
}

/** Source that is no test. */
export function isProduct(path: string): boolean {
  return isSource(path) && !path.endsWith('.test.ts')
}
