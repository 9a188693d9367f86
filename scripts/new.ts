/** `npm run new`: writes the skeleton of a requirement or a dialect. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readRepository } from './house/repository.ts'
import { dialectSkeleton } from './scaffold/dialect.ts'
import { requirementSkeleton } from './scaffold/requirement.ts'

const help = `npm run new -- requirement ID TITLE --beside ID
npm run new -- dialect NAME LIST

requirement   Catalogue entry, owners of statements, a scenario with covers(), and a fault, inserted next to those
              of an existing requirement of the same area. Updates the snapshot of titles and the docs.
dialect       A legal server, at the head of a list in reference-server/deviations/dialects.

Parts to fill in are marked TODO.

  npm run new -- requirement V3-IDEM-09 'A key of 255 characters MUST be accepted.' --beside V3-IDEM-06
  npm run new -- dialect keys-are-logged requests/strictness`

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { beside: { type: 'string' }, help: { type: 'boolean', default: false } },
})
const [kind, name, details, ...others] = positionals
const isComplete = name !== undefined && details !== undefined && others.length === 0

try {
  if (values.help) console.log(help)
  else if (kind === 'requirement' && isComplete && values.beside) {
    addRequirement(name, details, values.beside)
  } else if (kind === 'dialect' && isComplete && !values.beside) {
    write(dialectSkeleton(readRepository(), name, details))
  } else throw new SyntaxError(help)
} catch (error) {
  if (!(error instanceof SyntaxError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

function addRequirement(id: string, title: string, beside: string): void {
  const { files, missing } = requirementSkeleton(readRepository(), { id, title, beside })
  write(files)
  run('npx', 'vitest', 'run', '--update=all', 'contract/catalogue')
  run('npm', 'run', 'docs')
  for (const place of missing) console.log(`no place   ${place}: add it by hand`)
}

function write(files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) writeFileSync(`${root}${path}`, text)
  run('npx', 'biome', 'format', '--write', ...files.keys())
  for (const path of files.keys()) console.log(`written    ${path}`)
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
}
