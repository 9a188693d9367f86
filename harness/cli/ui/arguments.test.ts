import { Command } from 'commander'
import { expect, test } from 'vitest'
import { environmentWithout, givenFlags } from './open-page.ts'

const command = new Command('x')
  .option('--out <dir>')
  .option('--only <glob>')
  .option('--watch [path]')
  .option('--ui')
  .option('--no-color')

test.each([
  [
    ['http://a', '--out', 'dir', '--ui'],
    ['--out', 'dir'],
  ],
  [
    ['--only', 'A', 'http://a', '--only=B', '--ui'],
    ['--only', 'A', '--only=B'],
  ],
  [
    ['--watch', '--no-color', 'http://a'],
    ['--watch', '--no-color'],
  ],
  [
    ['--watch', 'src', '--ui', '--out', '--'],
    ['--watch', 'src', '--out', '--'],
  ],
])('%j without --ui and arguments is %j', (argv, kept) => {
  expect(givenFlags(command, argv, ['ui'])).toEqual(kept)
})

test('a dropped flag takes its value along', () => {
  expect(givenFlags(command, ['--out', 'dir', '--only', 'A'], ['out'])).toEqual(['--only', 'A'])
  const env = { CHATGEN_OUT: 'dir', CHATGEN_DRY_RUN: 'true', CHATGEN_API_KEY: 'k', HOME: '/' }
  expect(environmentWithout(env, ['out', 'dryRun'])).toEqual({ CHATGEN_API_KEY: 'k', HOME: '/' })
})
