import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

vi.setConfig({ testTimeout: 90_000 })

/** A disk that is full in the middle of a run: no verdict without its evidence. */

const withKey = { CHATGEN_API_KEY: key }
const check = ['check', '--only', 'OAI-MODELS-*', '--quiet'] as const

test('evidence on a full disk ends the run with 2 and a sentence', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  mkdirSync(join(cwd, 'results'))
  symlinkSync('/dev/full', join(cwd, 'results', 'exchanges.ndjson'))
  const { code, stderr } = await chatgen([...check, server.url, '--out', 'results'], withKey, cwd)
  expect(stderr).toContain('the evidence of the run cannot be written: ENOSPC')
  expect(code).toBe(2)
})

test('evidence that is no regular file is refused', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  await chatgen([...check, server.url, '--out', 'results'], withKey, cwd)
  const evidence = join(cwd, 'results', 'exchanges.ndjson')
  rmSync(evidence)
  for (const [what, make] of [
    ['a folder', () => mkdirSync(evidence)],
    ['a device', () => symlinkSync('/dev/zero', evidence)],
  ] as const) {
    make()
    for (const command of [
      ['report', 'results'],
      ['rejudge', 'results'],
    ]) {
      const { code, stderr } = await chatgen(command, {}, cwd)
      expect([what, command[0], code], stderr).toEqual([what, command[0], 2])
      expect(stderr).toContain('exchanges.ndjson')
    }
    rmSync(evidence, { recursive: true })
  }
})
