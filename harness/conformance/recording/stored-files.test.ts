import { execFileSync } from 'node:child_process'
import { existsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forSome } from '../../../contract/test-support/for-all.ts'
import { loadBaseline } from '../baseline/baseline.ts'
import { parseJournal } from '../cleanup/journal.ts'
import { readInputBytes, readInputFile } from '../input-file.ts'
import { loadProfile } from '../profile/index.ts'
import { temporaryFolder } from '../test-support/check.ts'
import { problemsIn } from '../test-support/reports.ts'
import { makeFolder } from './result-files.ts'

/** Files that were cut or changed anywhere are read, or refused in a sentence that names them. */

const journal = [
  { journal: 1, tag: 'chatgen-1', kit: '0.1.0', baseUrl: 'http://127.0.0.1' },
  { event: 'create', kind: 'chat', name: 'Tavoru', scenario: 'v3/a' },
  { event: 'created', kind: 'chat', name: 'Tavoru', scenario: 'v3/a', id: 'c-1' },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('')

const baseline =
  'V3-IDEM-02:\n  because: &a "a migration"\nOAI-ERR-01: { because: *a, issue: 17 }\n'

const profile =
  'baseUrl: http://127.0.0.1:9\napiKey: sk-4711\nheaders: { x-a: "b" }\nlimits:\n  timeoutMs: 5\n'

test.each([
  ['a journal', journal, (text: string) => parseJournal(text, 'the-file')],
  ['a profile', profile, (text: string) => loadProfile({ name: 'the-file', text }, {})],
  ['a baseline', baseline, (text: string) => loadBaseline({ name: 'the-file', text }, 'refused')],
])('%s truncated or changed at any byte is read or rejected by name', (_, whole, read) => {
  expect(problemsIn(() => read(whole))).toEqual([])
  const at = fc.nat(whole.length)
  forSome(200, at, fc.string({ unit: 'binary', maxLength: 3 }), at, (start, foreign, length) => {
    for (const text of [
      whole.slice(0, start),
      whole.slice(0, start) + foreign + whole.slice(start + (length % 4)),
    ]) {
      for (const problem of problemsIn(() => read(text))) expect(problem).toContain('the-file')
    }
  })
})

test('makeFolder creates parent folders and accepts an existing folder', () => {
  const folder = join(temporaryFolder(), 'a', 'b', 'c')
  makeFolder(folder)
  makeFolder(folder)
  expect(existsSync(folder)).toBe(true)
})

test('makeFolder throws if a file is in the way', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(() => makeFolder(file)).toThrow('EEXIST')
  expect(() => makeFolder(join(file, 'below'))).toThrow(/ENOTDIR|EEXIST/)
})

test.runIf(existsSync('/proc/self'))('makeFolder throws below /proc', () => {
  expect(() => makeFolder('/proc/chatgen/results')).toThrow('ENOENT')
})

const folder = temporaryFolder()

test('readInputFile returns the text without a byte order mark', () => {
  const text = `a: é\n${'x'.repeat(3 << 20)}`
  expect(readInputFile(fileOf(text))).toBe(text)
  expect(readInputFile(fileOf(`\uFEFF${text}`))).toBe(text)
  expect(readInputBytes(fileOf(''))).toEqual(Buffer.alloc(0))
})

test('readInputFile reads a file of unknown size to its end', () => {
  expect(readInputFile('/proc/self/status')).toContain('VmHWM')
})

test('readInputFile accepts a file of the maximum size, and rejects one more byte', () => {
  const file = fileOf('')
  truncateSync(file, 8 << 20)
  expect(readInputBytes(file)).toHaveLength(8 << 20)
  truncateSync(file, (8 << 20) + 1)
  expect(() => readInputFile(file)).toThrow(`${file} is larger than 8 MiB: pass a smaller file`)
  expect(readInputBytes(file, 9 << 20)).toHaveLength((8 << 20) + 1)
})

test.each([
  ['an endless device', '/dev/zero', 'a device, a pipe or a socket'],
  ['a pipe without a writer', pipe(), 'a device, a pipe or a socket'],
  ['a folder', folder, 'a folder'],
])('readInputFile rejects %s at once', (_, file, what) => {
  expect(() => readInputFile(file)).toThrow(`${file} is ${what}: pass a regular file`)
})

test('readInputFile throws the error of the file system for a missing file', () => {
  expect(() => readInputFile(join(folder, 'none'))).toThrow(/^ENOENT: no such file or directory/)
})

function fileOf(text: string): string {
  const file = join(folder, `${Math.random()}`)
  writeFileSync(file, text)
  return file
}

function pipe(): string {
  const file = join(folder, 'pipe')
  execFileSync('mkfifo', [file])
  return file
}
