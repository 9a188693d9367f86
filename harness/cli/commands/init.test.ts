import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { loadProfile } from '../../conformance/profile/index.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { inProcess } from '../test-support/in-process.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

/** `chatgen init` with the real CLI. */

const withKey = { CHATGEN_API_KEY: key }

describe('chatgen init', () => {
  test('writes a profile that chatgen check can use at once', async () => {
    const server = await startReferenceServer()
    const environment = { STAGING_KEY: server.keys[0] ?? '' }
    const folder = emptyFolder()
    const args = ['init', server.url, '--key-env', 'STAGING_KEY', '--out', 'staging.yaml']
    const { code, stdout, stderr } = await chatgen(args, environment, folder)
    expect(stdout).toMatchInlineSnapshot(`
      "Sent 26 requests; surfaces: openai, v2, v3
      Detected: models, deterministic, chatCursor, reasoning, images, attachments, knowledge, v2Chat
      Wrote staging.yaml. Next: chatgen check --target staging.yaml
      "
    `)
    expect(stderr).toContain('Left on the target: 1 attachment')
    expect(code).toBe(0)
    expect(readFileSync(join(folder, 'staging.yaml'), 'utf8')).not.toContain(server.keys[0])

    const only = ['--only', 'OAI-MODELS-*', '--only', 'V3-CHAT-*', '--only', 'V2-MSG-01']
    const check = ['check', '--target', 'staging.yaml', ...only]
    const checked = await chatgen(check, environment, folder)
    expect(checked.stdout).toMatch(/^CONFORMS/)
    expect(checked.code).toBe(0)
    await server.close()
  })

  test('--out - writes to standard output and says the rest on the other', async () => {
    await using server = await startModelsServer()
    const folder = emptyFolder()
    const { code, stdout, stderr } = await inProcess(
      ['init', server.url, '--out', '-'],
      withKey,
      folder,
    )
    expect(loadProfile({ name: 'it', text: stdout }, withKey).models.main).toBe('svc-main-model')
    expect(stderr).toContain('surfaces: openai')
    expect(readdirSync(folder)).toEqual([])
    expect(code).toBe(0)
  })

  test('overwrites nothing without --force, and asks nothing before', async () => {
    await using server = await startModelsServer()
    const folder = emptyFolder()
    writeFileSync(join(folder, 'target.yaml'), 'mine\n')
    const refused = await inProcess(['init', server.url], withKey, folder)
    expect(refused.stderr).toBe('chatgen: target.yaml exists; pass --force to overwrite it\n')
    expect(refused.code).toBe(2)
    expect(server.requests).toBe(0)
    const forced = await inProcess(['init', server.url, '--force'], withKey, folder)
    expect(forced.code).toBe(0)
    expect(readFileSync(join(folder, 'target.yaml'), 'utf8')).toContain(server.url)
  })

  test('ends with 3 if nothing listens or the key is refused, and leaves no file', async () => {
    await using server = await startModelsServer({ refuseAll: 401 })
    const folder = emptyFolder()
    const unreachable = await inProcess(['init', 'http://127.0.0.1:1'], withKey, folder)
    expect(unreachable.stderr).toContain('nothing listens there')
    expect(unreachable.code).toBe(3)
    const refused = await inProcess(['init', server.url], withKey, folder)
    expect(refused.stderr).toContain('refuses the key on every surface')
    expect(refused.code).toBe(3)
    expect(existsSync(join(folder, 'target.yaml'))).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })
})
