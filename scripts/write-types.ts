/**
 * Completes what `tsc` has written to a folder, dist: the declarations of the library with the files that they refer to, and
 * the files that a browser reads.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scriptFolder } from './options.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const entries = ['harness/library/index.d.ts', 'harness/library/vitest.d.ts']
const target = process.argv[2] ?? join(root, 'dist')
const emitted = scriptFolder('types')

const compiler = join(root, 'node_modules/.bin/tsc')
const args = ['-p', join(root, 'tsconfig.types.json'), '--outDir', emitted]
const { status } = spawnSync(compiler, args, { stdio: 'inherit' })
if (status === 0) for (const file of reachable()) write(file)
for (const folder of ['reports/html/browser', 'harness/cli/ui/page']) {
  cpSync(join(root, folder), join(target, folder), { recursive: true })
}
process.exitCode = status ?? 1

function reachable(): ReadonlySet<string> {
  const found = new Set(entries)
  for (const file of found) {
    for (const imported of relativeImports(file)) found.add(imported)
  }
  return found
}

function relativeImports(file: string): readonly string[] {
  const text = readFileSync(join(emitted, file), 'utf8')
  return [...text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.ts['"]/g)].map(([, path = '']) =>
    normalize(join(dirname(file), `${path}.d.ts`)),
  )
}

/** A declaration file refers to files next to the compiled modules. */
function write(file: string): void {
  const text = readFileSync(join(emitted, file), 'utf8')
  const path = join(target, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text.replaceAll(/(['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2'))
}
