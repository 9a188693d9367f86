import { describe, expect, test } from 'vitest'
import { chatgen } from './test-support/chatgen.ts'

/** Each flag that names a file, given a device without end: the command says so before it reads on. */
describe.each([
  ['--target', ['check', '--target', '/dev/zero']],
  ['--ca', ['check', 'http://127.0.0.1:1', '--ca', '/dev/zero']],
  ['--baseline', ['check', 'http://127.0.0.1:1', '--baseline', '/dev/zero']],
  ['--mix', ['load', 'http://127.0.0.1:1', '--mix', '/dev/zero', '--rate', '1']],
  ['--replay', ['load', 'http://127.0.0.1:1', '--replay', '/dev/zero']],
  ['--upload', ['load', 'http://127.0.0.1:1', '--upload', '/dev/zero', '--rate', '1']],
  ['--script', ['serve', '--port', '0', '--script', '/dev/zero']],
  ['--from', ['plan', '--from', '/dev/zero', '--demand', 'rate=1/s']],
  ['a report', ['report', '/dev/zero']],
  ['a journal', ['cleanup', '/dev/zero']],
])('%s', (_, args) => {
  test('that is a device without end is refused', async () => {
    const { code, stderr } = await chatgen(args)
    expect(stderr).toContain('/dev/zero is a device, a pipe or a socket: pass a regular file')
    expect(code).toBe(2)
  }, 60_000)
})

test.each(['__proto__', 'constructor'])('%s is no variable of the environment', async (name) => {
  const { code, stderr } = await chatgen(['check', 'http://127.0.0.1:1', '--key-env', name])
  expect(stderr).toContain(`the environment variable ${name} is not set`)
  expect(code).toBe(2)
})
