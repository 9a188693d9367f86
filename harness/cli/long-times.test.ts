import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chatgen, emptyFolder } from './test-support/chatgen.ts'

/** The real bin refuses each time that a timer would cut to a millisecond. */

const folder = emptyFolder()
const url = 'http://127.0.0.1:1'
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return name
}
const profile = (name: string, limits: string) =>
  file(`${name}.yaml`, `baseUrl: ${url}\napiKey: key\nlimits: { ${limits} }\n`)
const script = file('script.yaml', 'answers:\n  - answer: late\n    delay: 3000000s\n')
const none = {}

test.each<[string, string[], Record<string, string>]>([
  ['a flag', ['check', url, '--timeout', '3000000000'], none],
  ['a flag', ['check', url, '--timeout', '1e99'], none],
  ['a flag', ['load', url, '--rate', '1', '--duration', '600h'], none],
  ['the environment', ['check', url], { CHATGEN_TIMEOUT: '3000000000' }],
  ['a profile', ['check', '--target', profile('timeout', 'timeoutMs: 3000000000')], none],
  ['a profile', ['load', '--target', profile('settle', 'settleMs: 1e99'), '--rate', '1'], none],
  ['an SLO', ['load', url, '--rate', '1', '--slo', 'e2e.p95 < 40000min'], none],
  ['a pace', ['serve', '--port', '0', '--pace', 'gap=3000000s'], none],
  ['a script', ['serve', '--port', '0', '--script', script], none],
])('2 for a time of %s: %j %j', async (_, args, env) => {
  const { code, stdout, stderr } = await chatgen(args, env, folder)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('must be at most 2147483647 ms (24.8 days)')
  expect(stderr).not.toContain('TimeoutOverflowWarning')
  expect([code, stdout]).toEqual([2, ''])
})
