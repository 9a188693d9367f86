import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { areaOf, requirementIds } from '../../contract/index.ts'
import { readRepository } from '../house/repository.ts'
import { dialectSkeleton } from './dialect.ts'
import { requirementSkeleton } from './requirement.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const repository = readRepository()

test('next to any requirement there is a place for each part', () => {
  const missing = new Map<string, readonly string[]>()
  for (const beside of requirementIds) {
    const id = nextId(beside)
    const title = 'It SHOULD work.'
    const skeleton = requirementSkeleton(repository, { id, title, beside })
    const inserted = [...skeleton.files.values()].filter((text) => text.includes(`'${id}'`))
    const places = skeleton.missing.filter((place) => place.endsWith('/'))
    expect([beside, inserted.length]).toEqual([beside, 3 - places.length])
    if (places.length > 0) missing.set(areaOf(beside), places)
  }
  // Scenarios of v2 credentials are a table of all surfaces.
  expect(Object.fromEntries(missing)).toEqual({ 'V2-AUTH': ['suites/'] })
})

test('an id that is not the next one, or a title without its word, is rejected', () => {
  const good = { id: 'V3-IDEM-09', title: 'Keys MUST work.', beside: 'V3-IDEM-06' }
  const skeleton = (changed: Partial<typeof good>) =>
    requirementSkeleton(repository, { ...good, ...changed, id: changed.id ?? nextId(good.beside) })
  expect(() => skeleton({})).not.toThrow()
  expect(() => skeleton({ id: 'V3-IDEM-98' })).toThrow('the next id of this area is')
  expect(() => skeleton({ title: 'Keys work.' })).toThrow('MUST or SHOULD')
  expect(() => skeleton({ beside: 'V3-NONE-01' })).toThrow('no such requirement')
  expect(() => dialectSkeleton(repository, 'a', 'nowhere')).toThrow('requests/strictness')
})

test('the skeleton compiles, and its scenario passes', { timeout: 180_000 }, () => {
  const copy = copyOfRepository()
  const id = nextId('V3-IDEM-06')
  const title = 'A key of 255 characters MUST be accepted.'
  run(copy, 'scripts/new.ts', 'requirement', id, title, '--beside', 'V3-IDEM-06')
  run(copy, 'scripts/new.ts', 'dialect', 'keys-are-logged', 'requests/strictness')
  expect(readFileSync(join(copy, 'docs/requirements.md'), 'utf8')).toContain(title)
  run(copy, 'node_modules/typescript/bin/tsc', '-p', '.')
  run(
    copy,
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    'contract',
    'suites',
    'reference-server',
  )
  const { status, output } = run(copy, 'bin/chatgen.cjs', 'check', '--reference', '--only', id)
  expect([status, output]).toEqual([0, expect.stringContaining('1 passed')])
})

function nextId(beside: string): string {
  const count = requirementIds.filter((id) => areaOf(id) === areaOf(beside)).length
  return `${areaOf(beside)}-${String(count + 1).padStart(2, '0')}`
}

function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'chatgen-scaffold-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  const tracked = new Set([...repository.keys()].flatMap(withFolders))
  cpSync(root, copy, {
    recursive: true,
    filter: (path) => path === root || tracked.has(path.slice(root.length).replace(/^\//, '')),
  })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  execFileSync('git', ['init', '-q'], { cwd: copy })
  return copy
}

function withFolders(path: string): readonly string[] {
  return path === '.' ? [''] : [path, ...withFolders(dirname(path))]
}

function run(cwd: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  const output = stdout + stderr
  if (args[0] !== 'bin/chatgen.cjs') expect([args, status, output]).toEqual([args, 0, output])
  return { status, output }
}
