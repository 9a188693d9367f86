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

  test.each([
    [['a', 'b', '--rate', '3'], '--rate applies to --interleave only'],
    [['a', 'b', '--metric', 'ttft.mean'], 'must be one of ttft.p95, tpot.p95, icl.p95, e2e.p95'],
    [['http://x', 'http://y', '--interleave'], 'no load given'],
    [['http://x', 'http://y', '--interleave', '--ramp', '1..2/3s'], '--ramp does not apply'],
    [
      ['http://x', 'http://y', '--interleave', '--rate', '5', '--duration', '1m'],
      '--duration: 60 s has room for 3 pairs of blocks of 10 s, and it takes 6',
    ],
  ])('%j is a usage error', async (args, message) => {
    const { code, stderr } = await chatgen(['compare', ...args], withKey)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})
