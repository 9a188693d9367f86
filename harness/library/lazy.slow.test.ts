import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { emptyFolder } from '../cli/test-support/chatgen.ts'

const run = promisify(execFile)
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Packages that only the command needs that uses them. */
const heavy = [
  'vitest',
  'vite',
  'autocannon',
  'find-my-way',
  'prom-client',
  'testcontainers',
  'unpdf',
  'minisearch',
  'json-schema-faker',
]

test.each([
  ['chatgen --help', '../../bin/chatgen.cjs', ['--help']],
  ['chatgen list', '../../bin/chatgen.cjs', ['list']],
  ['chatgen serve --help', '../../bin/chatgen.cjs', ['serve', '--help']],
  ['the import of the library', './index.ts', []],
])('%s loads nothing heavy', async (_, file, args) => {
  const result = join(emptyFolder(), 'loaded.json')
  await run(process.execPath, [
    path('./test-support/loaded-packages.ts'),
    path(file),
    result,
    ...args,
  ])
  const loaded: unknown = JSON.parse(readFileSync(result, 'utf8'))
  expect(heavy.filter((name) => Array.isArray(loaded) && loaded.includes(name))).toEqual([])
})
