import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { halfSilentServer } from '../load/test-support/half-silent.ts'
import { failing, start } from '../test-support/chatgen.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Early ends of a bench, by the real bin. */

const key = 'bench-ends-key'
const withKey = { CHATGEN_API_KEY: key }

async function benchOf(cases: string) {
  const server = await startReferenceServer({ keys: [key] })
  onTestFinished(() => server.close())
  const args = [
    'bench',
    server.url,
    '--only',
    cases,
    '--duration',
    '60s',
    '--connections',
    '2',
    '--turns',
    '1000',
  ]
  const chats = async () => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${server.url}/api/v3/chat`, { headers })).json()
  }
  return { args, chats }
}

/** Delay until it measures; the test sees standard error, which says so, only after the end. */
const intoMeasuring = 6_000

describe('Ctrl-C', () => {
  test('prints what was measured, and leaves no chat behind', async () => {
    const { args, chats } = await benchOf('generate*')
    const run = start(args, withKey)
    await sleep(intoMeasuring)
    run.child.kill('SIGINT')
    const { code, stdout } = await run.ended
    expect(stdout).toMatch(/^case +answers\/s/m)
    expect(stdout).toContain('Interrupted: the other cases were not measured.')
    expect(code).toBe(130)
    expect(await chats()).toMatchObject({ result: [] })
  })

  test('waits for no target that is silent', async () => {
    const server = await halfSilentServer()
    const run = start(['bench', server.url, '--only', 'compatible*', '--json'], withKey)
    await server.waits
    run.child.kill('SIGINT')
    const { code, stdout } = await run.ended
    expect(JSON.parse(stdout)).toMatchObject({ rows: [], notMeasured: [], interrupted: true })
    expect(code).toBe(130)
  })
})

test('an internal error ends with 4', async () => {
  const { args } = await benchOf('compatible JSON')
  const run = start(args, { ...withKey, ...failing(`throw new Error('a slip of ours')`) })
  await sleep(intoMeasuring)
  run.child.kill('SIGUSR2')
  const { code, stdout, stderr } = await run.ended
  expect(stderr).toContain('a slip of ours')
  expect(stdout).toBe('')
  expect(code).toBe(4)
})

test.runIf(process.platform === 'linux')(
  'a bench that is killed takes its server along',
  async () => {
    const run = start(['bench', '--only', 'compatible JSON', '--duration', '60s'])
    const { pid = 0 } = run.child
    const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    await vi.waitFor(() => expect(children()).toMatch(/^\d+$/), 20_000)
    const server = Number(children())
    await sleep(2_000)
    run.child.kill('SIGKILL')
    await run.ended
    await vi.waitFor(() => expect(() => process.kill(server, 0)).toThrow('ESRCH'), 10_000)
  },
)
