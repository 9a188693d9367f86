import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const file = fileURLToPath(new URL('./load-truth.ts', import.meta.url))
/** The options of scripts/load-truth.ts, without what it imports. */
const program = `import { optionsOf } from '${new URL('./options.ts', import.meta.url)}'
optionsOf({ filename: '${file}' }, { kind: '', gap: 40 })`
const script = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', program, '--', ...args], {
    encoding: 'utf8',
  })

test.each(['--help', '-h'])('%s prints the comment of the script', (flag) => {
  const { stdout, status } = script(flag)
  expect(stdout).toMatch(/^Compares figures of the load engine[\s\S]*--halting\]\n$/)
  expect(stdout).not.toMatch(/^ ?\*/m)
  expect(readFileSync(file, 'utf8')).toContain(stdout.split('\n')[0])
  expect(status).toBe(0)
})

test.each([
  ['an unknown option', ['--gpa', '3'], "Unknown option '--gpa'"],
  ['a word that is no number', ['--gap', 'many'], '--gap many is no number'],
  ['an empty number', ['--gap='], '--gap  is no number'],
  ['an option without its value', ['--kind'], "'--kind <value>' argument missing"],
])('%s ends with 2 and the usage', (_, args, reason) => {
  const { stderr, stdout, status } = script(...args)
  expect(stderr).toContain(reason)
  expect(stderr).toContain('node scripts/load-truth.ts')
  expect([status, stdout]).toEqual([2, ''])
})
