import { expect, test } from 'vitest'
import { startReferenceServer } from '../../reference-server/index.ts'
import { ended } from '../client/test-support/listen-on-loopback.ts'
import { chatgen, expectEnd, failing, slip, start } from './test-support/chatgen.ts'
import { inProcess } from './test-support/in-process.ts'
import { type Behavior, key, startModelsServer, withKey } from './test-support/servers.ts'

/** Exit codes of the real CLI; those that other tests see as well are 130, 2, 3 and 5. */

const models = '--only OAI-MODELS-01 --only OAI-MODELS-04'
const auth = '--only OAI-AUTH-01'

test('check ends with 0 again if it is repeated with its seed', async () => {
  const server = ended(await startReferenceServer({ keys: [key] }))
  const line = `check ${server.url} --only V3-GEN-01 --seed same --quiet`
  for (const _ of ['once', 'again']) expect((await chatgen(line, withKey)).code).toBe(0)
})

test.each([
  [4, 'the command fails', {}, models, /^INCOMPLETE [\s\S]* 1 internal error/],
  [1, 'it fails and a requirement is violated', { open: true }, auth, /^VIOLATED/],
] as const)('check ends with %i if %s', async (code, _, behavior: Behavior, flags, says) => {
  const reached = Promise.withResolvers<void>()
  // One of a scenario.
  const request = behavior.open ? 8 : 6
  await using server = await startModelsServer({
    ...behavior,
    delayMs: 300,
    onRequest: (count) => count === request && reached.resolve(),
  })
  const line = `check ${server.url} ${flags} --profile openai --jobs 1`
  const run = start(line, { ...withKey, ...failing(slip) })
  await reached.promise
  run.child.kill('SIGUSR2')
  expectEnd(await run.ended, code, { out: ['a slip of ours', says] })
})

/** The environment of a CI job never makes a dry run green. */

const inCi = { CHATGEN_DRY_RUN: 'true', CI: 'true' }
const loud = /DRY RUN: CHATGEN_DRY_RUN is set in the environment of this CI job.* was tested/s
const plain = /nothing was sent, nothing was tested/

test.each([
  ['check URL --only OAI-MODELS-01 --quiet', inCi, 5, loud],
  ['load URL --rate 1', inCi, 5, loud],
  ['load URL --rate 1 --dry-run', { CI: 'true' }, 0, plain],
  ['load URL --rate 1', { CI: '', CHATGEN_DRY_RUN: '1' }, 0, plain],
])('a dry run of %s in the environment %j ends with %i: %s', async (line, env, code, err) => {
  await using server = await startModelsServer()
  const run = code === 5 ? chatgen : inProcess
  expectEnd(await run(line.replace('URL', server.url), env), code, { err })
  expect(server.requests).toBe(0)
})

test('ui listens at --port, reports a port in use and ends with 0 at Ctrl-C', async () => {
  const first = start('ui http://127.0.0.1:9')
  await first.shows('token=')
  const { port } = new URL(/http:\S+/.exec(first.soFar())?.[0] ?? '')
  const err = `port ${port} of 127.0.0.1 is in use; choose another with --port`
  expectEnd(await chatgen(`ui http://127.0.0.1:9 --port ${port}`), 2, { err })
  first.child.kill('SIGINT')
  expect((await first.ended).code).toBe(0)
})

test('check --ui has the output and exit code of a check without a terminal', async () => {
  const line = 'check --reference --only OAI-MODELS-01 --ui --json'
  const { code, stdout, stderr } = await chatgen(line, { CHATGEN_UI: 'true' })
  expect(stderr).toMatch(/Page: http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/)
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'conformance-report', outcome: 'conforms' })
  expect(code).toBe(0)
})
