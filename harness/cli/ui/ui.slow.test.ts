import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chatgen, emptyFolder, start } from '../test-support/chatgen.ts'

/** `chatgen ui` from a command line; what its page does is tested in a browser. */

const unreadable = emptyFolder()
writeFileSync(join(unreadable, 'report.json'), '{"kind":"other"}')

test.each([
  ['nothing', [], 'nothing to show: pass a URL, --target FILE, --reference, or results folders'],
  ['a folder that is not there', ['no-such-folder'], 'no such file or folder: no-such-folder'],
  ['a folder without a report', ['.'], '. has no report.json'],
  ['a file of something else', [unreadable], 'is not a report of chatgen'],
  ['two URLs', ['http://127.0.0.1:1', 'http://127.0.0.1:2'], 'pass one URL'],
])('2 for %s', async (_, args, sentence) => {
  const { code, stdout, stderr } = await chatgen(['ui', ...args])
  expect(stderr).toContain(sentence)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stdout).toBe('')
  expect(code).toBe(2)
})

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
