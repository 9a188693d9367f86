import { symlinkSync } from 'node:fs'
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
