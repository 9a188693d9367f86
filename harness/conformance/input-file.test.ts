import { execFileSync } from 'node:child_process'
import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readInputBytes, readInputFile } from './input-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'chatgen-input-'))

test('a regular file is read as it is, without a byte order mark', () => {
  const text = `a: é\n${'x'.repeat(3 << 20)}`
  expect(readInputFile(fileOf(text))).toBe(text)
  expect(readInputFile(fileOf(`\uFEFF${text}`))).toBe(text)
  expect(readInputBytes(fileOf(''))).toEqual(Buffer.alloc(0))
})

test('a file whose length the file system does not know is read to its end', () => {
  expect(readInputFile('/proc/self/status')).toContain('VmHWM')
})

test('a file of exactly the maximum is read, and one byte more is refused', () => {
  const file = fileOf('')
  truncateSync(file, 8 << 20)
  expect(readInputBytes(file)).toHaveLength(8 << 20)
  truncateSync(file, (8 << 20) + 1)
  expect(() => readInputFile(file)).toThrow(`${file} is larger than 8 MiB: pass a smaller file`)
  expect(readInputBytes(file, 9 << 20)).toHaveLength((8 << 20) + 1)
})

test.each([
  ['a device without end', '/dev/zero', 'a device, a pipe or a socket'],
  ['a pipe that nobody writes into', pipe(), 'a device, a pipe or a socket'],
  ['a folder', folder, 'a folder'],
])('%s is refused at once', (_, file, what) => {
  expect(() => readInputFile(file)).toThrow(`${file} is ${what}: pass a regular file`)
})

test('a missing file has the error of the file system', () => {
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
