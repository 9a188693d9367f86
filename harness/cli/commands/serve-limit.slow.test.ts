import { describe, expect, test } from 'vitest'
import { chatgen, start } from '../test-support/chatgen.ts'

const key = 'sk-limited-1234'

/** `serve --requests-per-minute` by the real bin; how the limit fills again is the server's own test. */
describe('chatgen serve with a limit', () => {
  test.each([
    { given: 'as a flag', args: ['--requests-per-minute', '3'], env: {} },
    { given: 'in the environment', args: [], env: { CHATGEN_REQUESTS_PER_MINUTE: '3' } },
  ])('answers 429 beyond it, $given', async ({ args, env }) => {
    const run = start(['serve', '--port', '0', '--key', key, ...args], env)
    await run.shows('API key:')
    const url = /Listening on (\S+)/.exec(run.soFar())?.[1] ?? ''
    const ask = () =>
      fetch(`${url}/api/openai/models`, { headers: { authorization: `Bearer ${key}` } })
    const answers = [await ask(), await ask(), await ask(), await ask()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers[0]?.headers.get('x-ratelimit-limit-requests')).toBe('3')
    // A third of a minute brings the next one.
    const wait = Number(answers[3]?.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(10)
    expect(wait).toBeLessThanOrEqual(20)
    run.child.kill('SIGTERM')
    expect((await run.ended).code).toBe(0)
  })

  test('has none without the flag', async () => {
    const run = start(['serve', '--port', '0', '--key', key])
    await run.shows('API key:')
    const url = /Listening on (\S+)/.exec(run.soFar())?.[1] ?? ''
    const answer = await fetch(`${url}/api/openai/models`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBeNull()
    run.child.kill('SIGTERM')
    await run.ended
  })

  test.each(['0', '-1', '2.5', 'many'])('refuses %s', async (text) => {
    const { code, stderr, stdout } = await chatgen(['serve', `--requests-per-minute=${text}`])
    expect(stderr).toContain('--requests-per-minute')
    expect(stderr).toContain('must be a positive integer')
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test('says so in its help', async () => {
    const { stdout } = await chatgen(['serve', '--help', 'all'])
    expect(stdout).toContain('--requests-per-minute <n>')
    expect(stdout).toContain('CHATGEN_REQUESTS_PER_MINUTE')
  })
})
