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
import { readFileSync, writeFileSync } from 'node:fs'
import { optionsOf } from './options.ts'
import { installedSize, type Measured, measureRepository } from './size/measure.ts'

interface Recorded {
  readonly title: string
  /** Commit 0cedda0, measured in the same way. */
  readonly before: number
  readonly now: number
  readonly goal: number
}

const margin = 1.02
const file = new URL('./size/recorded.json', import.meta.url)
const recorded: Readonly<Record<keyof Measured, Recorded>> = JSON.parse(readFileSync(file, 'utf8'))
const values = optionsOf(import.meta, { installed: false, write: false })

const { figures, missing } = measureRepository()
const measured: Measured = { ...figures, ...(values.installed ? installedSize() : {}) }
const rows = keysOf(recorded).flatMap((key) => {
  const value = measured[key]
  return value === undefined ? [] : [{ key, value, ...recorded[key] }]
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
for (const path of missing) console.error(`scripts/size/measure.ts: ${path} does not exist`)
process.exitCode = grown.length + missing.length > 0 ? 1 : 0

if (values.write) {
  const smaller = rows.map(({ key, value }) => {
    const old = recorded[key]
    return [key, { ...old, now: Math.min(old.now, value) }]
  })
  const text = JSON.stringify({ ...recorded, ...Object.fromEntries(smaller) }, null, 2)
  writeFileSync(file, `${text}\n`)
}

function keysOf<T extends object>(value: T): readonly (keyof T & string)[] {
  return Object.keys(value).filter((key): key is keyof T & string => key in value)
}
