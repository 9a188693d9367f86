import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test-support/check.ts'
import { makeFolder } from './result-files.ts'

test('folders are made with those above them, once and twice', () => {
  const folder = join(temporaryFolder(), 'a', 'b', 'c')
  makeFolder(folder)
  makeFolder(folder)
  expect(existsSync(folder)).toBe(true)
})

test('what cannot be made is an error', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(() => makeFolder(file)).toThrow('EEXIST')
  expect(() => makeFolder(join(file, 'below'))).toThrow(/ENOTDIR|EEXIST/)
})

test.runIf(existsSync('/proc/self'))('below /proc it ends, with an error', () => {
  expect(() => makeFolder('/proc/chatgen/results')).toThrow('ENOENT')
})
