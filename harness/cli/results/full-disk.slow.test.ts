import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'

test('a full disk ends with a sentence and is no internal error', async () => {
  const server = await startReferenceServer()
  const folder = emptyFolder()
  symlinkSync('/dev/full', join(folder, 'target.yaml'))
  const env = { CHATGEN_API_KEY: server.keys[0] ?? '' }
  const { code, stderr } = await chatgen(['init', server.url, '--force'], env, folder)
  await server.close()
  expect(stderr).toContain('chatgen: cannot write target.yaml: ENOSPC')
  expect(code).toBe(2)
}, 60_000)

test('what a file says is not obeyed by the terminal that shows it', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'p.yaml'), 'baseUrl: http://h\n"\\e]0;title\\a\\u202e": 1\n')
  const { code, stderr } = await chatgen(['check', '--target', 'p.yaml'], {}, folder)
  expect(stderr).toContain('\\x1b]0;title\\x07\\u202e: there is no such field')
  expect(code).toBe(2)
}, 60_000)
