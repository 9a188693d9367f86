/**
 * `npm run size`: the size of the project, and its limits. Exits with 1 if a figure is more than 2 % above the one recorded in
 * scripts/size/recorded.json.
 *
 *   npm run size                   print the table
 *   npm run size -- --installed    also what a user installs: minutes, and needs a registry
 *   npm run size -- --write        record figures that became smaller
 *
 * Lines are line feeds of files that git tracks or would track.
 *
 * - all: every `.ts` file
 * - sources: without `*.test.ts`; helpers of tests (test-support) count
 * - check: what `chatgen check` consists of, with tests (`checkSources`)
 * - event: files from socket to histogram (`eventPath`)
 * - requirement: files and folders that a new requirement changes by hand (`requirementPlaces`)
 * - generated: lines of files that a program writes (`generatedFiles`), without package-lock.json
 * - pages: Markdown files directly in docs/
 * - installed: `npm pack`, then `npm install --omit=dev` in an empty project: MB (10^6 bytes of files), folders of packages
 */
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import { repositoryFiles } from './house/repository.ts'
import { need, packedInto, root } from './image/engine.ts'
import { optionsOf, scriptFolder } from './options.ts'

interface Recorded {
  readonly title: string
  /** Commit 0cedda0, measured in the same way. */
  readonly before: number
  readonly now: number
  readonly goal: number
}

const margin = 1.02
const file = new URL('./size/recorded.json', import.meta.url)
const recorded: Readonly<Record<string, Recorded>> = JSON.parse(readFileSync(file, 'utf8'))
const places: Readonly<
  Record<'eventPath' | 'requirementPlaces' | 'generatedFiles' | 'checkSources', readonly string[]>
> = parse(readFileSync(new URL('size/places.yaml', import.meta.url), 'utf8'))
const values = optionsOf(import.meta, { installed: false, write: false })

const files = repositoryFiles()
const sources = files.filter((path) => path.endsWith('.ts'))
const within = (places: readonly string[], paths: readonly string[]) =>
  paths.filter((path) => places.some((place) => path === place || path.startsWith(`${place}/`)))
const figures: Readonly<Record<string, number>> = {
  allLines: linesOf(sources),
  allFiles: sources.length,
  sourceLines: linesOf(sources.filter((path) => !path.endsWith('.test.ts'))),
  checkLines: linesOf(within(places.checkSources, sources)),
  eventFiles: places.eventPath.length,
  requirementPlaces: places.requirementPlaces.length,
  generatedLines: linesOf(within(places.generatedFiles, files)),
  pages: files.filter((path) => /^docs\/[^/]+\.md$/.test(path)).length,
  ...(values.installed ? installedSize() : {}),
}
const rows = Object.entries(recorded).flatMap(([key, row]) => {
  const value = figures[key]
  return value === undefined ? [] : [{ key, value, ...row }]
})

const cells = rows.map((row) => [
  row.title,
  ...[row.before, row.now, row.value, row.goal].map((n) => n.toLocaleString('en-US')),
])
for (const line of [['', 'at 0cedda0', 'recorded', 'today', 'goal'], ...cells]) {
  console.log(line.map((cell, at) => (at === 0 ? cell.padEnd(52) : cell.padStart(11))).join(''))
}
const grown = rows.filter(({ value, now }) => value > now * margin)
for (const { title, value, now } of grown) console.error(`${title}: ${value}, at most ${now} + 2 %`)
const missing = [...new Set(Object.values(places).flat())].filter(
  (place) => within([place], files).length === 0,
)
for (const path of missing) console.error(`scripts/size/places.yaml: ${path} does not exist`)
process.exitCode = grown.length + missing.length > 0 ? 1 : 0

if (values.write) {
  const smaller = rows.map(({ key, value, ...row }) => [
    key,
    { ...row, now: Math.min(row.now, value) },
  ])
  const text = JSON.stringify({ ...recorded, ...Object.fromEntries(smaller) }, null, 2)
  writeFileSync(file, `${text}\n`)
}

function linesOf(paths: readonly string[]): number {
  return paths
    .map((path) => readFileSync(join(root, path)).filter((byte) => byte === 10).length)
    .reduce((sum, lines) => sum + lines, 0)
}

/** Size of a production install of the packed package: 10^6 bytes, and packages, this one included. */
function installedSize() {
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
