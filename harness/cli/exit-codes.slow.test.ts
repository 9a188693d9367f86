import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chatgen, emptyFolder, failing, reportIn, slip, start } from './test-support/chatgen.ts'
import { type Behavior, key, startModelsServer } from './test-support/models-server.ts'

/** Each exit code of the real CLI, and their precedence: 130, 2, 3, 1, 4, 5, 0. */

const withKey = { CHATGEN_API_KEY: key }
const models = ['--only', 'OAI-MODELS-01', '--only', 'OAI-MODELS-04']
const auth = ['--only', 'OAI-AUTH-01']
/** Needs a capability that no detection finds. */
const undecided = ['--only', 'OAI-MODELS-03']

test.each<[code: number, why: string, Behavior, args: readonly string[], says: RegExp]>([
  [0, 'the target conforms', {}, models, /^CONFORMS/],
  [1, 'a requirement is violated', { open: true }, auth, /^VIOLATED/],
  [1, 'one is violated and one undecided', { open: true }, [...auth, ...undecided], /^VIOLATED/],
  [2, 'a flag is unknown', {}, ['--strikt'], /Did you mean --strict\?/],
  [3, 'every surface refuses the key', { refuseAll: 401 }, [], /on every surface \(401\)/],
  [5, 'a required one is undecided', {}, [...models, ...undecided], /capabilities\.images/],
])('check ends with %i if %s', async (code, _, behavior, args, says) => {
  await using server = await startModelsServer(behavior)
  const ended = await chatgen(['check', server.url, ...args], withKey)
  expect(ended.code).toBe(code)
  expect(ended.stdout + ended.stderr).toMatch(says)
})

test('check ends with 3 if nothing listens, in one line', async () => {
  const { code, stdout, stderr } = await chatgen(['check', 'http://127.0.0.1:1'])
  expect(stdout + stderr.trim()).toBe(
    'chatgen: http://127.0.0.1:1: nothing listens there (ECONNREFUSED)',
  )
  expect(code).toBe(3)
})

/** Runs a check, and calls `happens` at a request of a scenario. */
async function checkWith(
  behavior: Behavior,
  args: readonly string[],
  happens: (run: ReturnType<typeof start>, results: string) => void,
) {
  const results = join(emptyFolder(), 'results')
  const reached = Promise.withResolvers<void>()
  const request = behavior.open ? 8 : 6
  await using server = await startModelsServer({
    ...behavior,
    delayMs: 300,
    onRequest: (count) => count === request && reached.resolve(),
  })
  const given = [...args, '--profile', 'openai', '--jobs', '1', '--out', results]
  const run = start(['check', server.url, ...given], { ...withKey, ...failing(slip) })
  await reached.promise
  happens(run, results)
  return { ...(await run.ended), results }
}

test.each([
  [4, 'the command itself fails', {}, models, /^CONFORMS/],
  [1, 'it fails and a requirement is violated', { open: true }, auth, /^VIOLATED/],
] as const)('check ends with %i if %s', async (code, _, behavior, args, says) => {
  const ended = await checkWith(behavior, args, ({ child }) => child.kill('SIGUSR2'))
  expect(ended.stdout).toContain('a slip of ours')
  expect(ended.stdout).toMatch(says)
  expect(ended.code).toBe(code)
})

test('check ends with 2 if the evidence can no longer be written', async () => {
  const { code, stderr } = await checkWith({}, models, (_, results) =>
    rmSync(results, { recursive: true, force: true, maxRetries: 5 }),
  )
  expect(stderr).toContain('ENOENT')
  expect(code).toBe(2)
})

test('check ends with 130 if it is interrupted, and keeps what was found', async () => {
  const ended = await checkWith({ open: true }, auth, ({ child }) => child.kill('SIGINT'))
  expect(reportIn(ended.results).interrupted).toBe(true)
  expect(ended.stdout).toContain('interrupted')
  expect(ended.code).toBe(130)
})
