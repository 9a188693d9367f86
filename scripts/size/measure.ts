import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkSources, eventPath, generatedFiles, requirementPlaces } from './paths.ts'

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

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Figures of the working copy, and declared paths that it does not have. */
export function measureRepository(): {
  readonly figures: Measured
  readonly missing: readonly string[]
} {
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

function repositoryFiles(): readonly string[] {
  const args = ['ls-files', '-co', '--exclude-standard', '-z']
  const paths = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0')
  return paths.filter((path) => path !== '' && existsSync(join(root, path)))
}

function linesOf(paths: readonly string[]): number {
  return paths
    .map((path) => readFileSync(join(root, path)).filter((byte) => byte === 10).length)
    .reduce((sum, lines) => sum + lines, 0)
}
