import { describe, expect, test, vi } from 'vitest'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

vi.setConfig({ testTimeout: 90_000 })

const withKey = { CHATGEN_API_KEY: key }

describe('chatgen compare with load', () => {
  test('of reports of different kinds is refused', async () => {
    await using server = await startModelsServer()
    const cwd = emptyFolder()
    const run = ['--rate', '20', '--duration', '500ms', '--out', 'loaded']
    await chatgen(['load', server.url, ...run], withKey, cwd)
    await chatgen(['check', server.url, '--only', 'OAI-AUTH-01', '--out', 'checked'], withKey, cwd)
    const mixed = await chatgen(['compare', 'loaded', 'checked'], {}, cwd)
    expect(mixed.stderr).toMatch(/^chatgen: reports of different kinds cannot be compared/)
    expect(mixed.code).toBe(2)

    const same = await chatgen(['compare', 'loaded', 'loaded', '--json'], {}, cwd)
    expect(JSON.parse(same.stdout)).toMatchObject({ kind: 'load-comparison', design: 'separate' })
    expect([0, 5, 6]).toContain(same.code)
  })
})
