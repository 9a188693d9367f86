import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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
  ['a word instead of a number', ['--gap', 'many'], '--gap many is not a number'],
  ['an empty number', ['--gap='], '--gap  is not a number'],
  ['an option without its value', ['--kind'], "'--kind <value>' argument missing"],
])('%s ends with 2 and the usage', (_, args, reason) => {
  const { stderr, stdout, status } = script(...args)
  expect(stderr).toContain(reason)
  expect(stderr).toContain('node scripts/load-truth.ts')
  expect([status, stdout]).toEqual([2, ''])
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a script after its exit handlers', async (signal, status) => {
  const waiting = `${program}
process.once('exit', () => console.log('cleaned up'))
setInterval(() => {}, 1000)
console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', waiting])
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (text.includes('ready')) child.kill(signal)
  })
  const [code] = await once(child, 'close')
  expect([code, output]).toEqual([status, 'ready\ncleaned up\n'])
})
