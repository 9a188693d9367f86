import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

vi.setConfig({ testTimeout: 90_000 })

/** Causes of the differences between two runs, as the real CLI reports them. */

const withKey = { CHATGEN_API_KEY: key }
const blame = 'the target changed'

test('the target only if the runs had the same settings', async () => {
  const behavior = { open: false }
  await using server = await startModelsServer(behavior)
  const cwd = emptyFolder()
  const run = async (out: string, profile: string, ...args: readonly string[]) => {
    writeFileSync(join(cwd, `${out}.yaml`), `baseUrl: ${server.url}\n${profile}`)
    const only = ['--only', 'OAI-AUTH-01', '--only', 'V2-AUTH-02', ...args]
    await chatgen(['check', '--target', `${out}.yaml`, ...only, '--out', out], withKey, cwd)
  }
  const compare = (...args: readonly string[]) => chatgen(['compare', ...args], {}, cwd)
  await run('monday', 'v2Chat: { anyUuid: true }\n')
  await run('tuesday', 'limits: { settleMs: 1999 }\n')
  behavior.open = true
  await run('wednesday', 'limits: { settleMs: 1999 }\n', '--skip', 'V2-*')
  await run('thursday', 'limits: { settleMs: 1999 }\n')

  const profile = await compare('monday', 'tuesday')
  expect(profile.stdout).toMatch(
    /The runs had different settings\n {2}profile {4}limits\.settleMs, v2Chat \(only in A\)/,
  )
  expect(profile.stdout).toMatch(/V2-AUTH-02 .*: the profiles differ \(v2Chat\)/)
  expect(profile.stdout).not.toContain(blame)

  const selection = await compare('tuesday', 'wednesday')
  expect(selection.stdout).toMatch(/ {2}selection {2}--only OAI-AUTH-01 .* → .* --skip V2-\*/)
  expect(selection.stdout).toMatch(/V2-AUTH-02 .*: the selections differ/)
  expect(selection.stdout).toMatch(/OAI-AUTH-01 .* → violated \(required\): the target changed/)

  const same = await compare('tuesday', 'thursday', '--json')
  const { newlyViolated, conditions } = JSON.parse(same.stdout)
  expect(newlyViolated).toMatchObject([{ id: 'OAI-AUTH-01', cause: 'target', members: [] }])
  expect(conditions).toMatchObject({ url: null, kit: null, selection: null, profile: [] })
  expect(same.code).toBe(1)
})

test('two load runs are compared as such', async () => {
  await using server = await startModelsServer()
  const cwd = emptyFolder()
  const run = ['--rate', '20', '--duration', '500ms', '--out', 'loaded']
  await chatgen(['load', server.url, ...run], withKey, cwd)
  const { code, stdout } = await chatgen(['compare', 'loaded', 'loaded', '--json'], {}, cwd)
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'load-comparison', design: 'separate' })
  expect([0, 5, 6]).toContain(code)
})
