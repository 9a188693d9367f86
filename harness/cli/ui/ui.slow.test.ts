import { expect, test } from 'vitest'
import { chatgen, start } from '../test-support/chatgen.ts'

/** `chatgen ui` from a command line; its page is tested in a browser. */

test('it listens at --port, says in a sentence that it is in use, and ends with 0 at Ctrl-C', async () => {
  const first = start(['ui', 'http://127.0.0.1:9'])
  await first.shows('token=')
  const { port } = new URL(/http:\S+/.exec(first.soFar())?.[0] ?? '')
  const second = await chatgen(['ui', 'http://127.0.0.1:9', '--port', port])
  expect(second.stderr).toContain(`port ${port} of 127.0.0.1 is in use; choose another with --port`)
  expect(second.code).toBe(2)
  first.child.kill('SIGINT')
  expect((await first.ended).code).toBe(0)
})

test('without a terminal, a check with --ui ends as a check does, and with its output', async () => {
  const args = ['check', '--reference', '--only', 'OAI-MODELS-01', '--ui', '--json']
  const { code, stdout, stderr } = await chatgen(args, { CHATGEN_UI: 'true' })
  expect(stderr).toMatch(/Page: http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/)
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'conformance-report', outcome: 'conforms' })
  expect(code).toBe(0)
})
