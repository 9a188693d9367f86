import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { onSuccessBody } from '../../../reference-server/deviations/patches/replies.ts'
import { rejectRequests } from '../../../reference-server/deviations/patches/requests.ts'
import {
  completions,
  modelList,
  type RoutePattern,
  storeMessage,
  v3Generate,
} from '../../../reference-server/deviations/patches/routes.ts'
import { compose } from '../../../reference-server/deviations/patches/services.ts'
import { type ReferenceServer, startReferenceServer } from '../../../reference-server/index.ts'
import { chatgen, emptyFolder, reportIn } from '../test-support/chatgen.ts'

/** `chatgen check` with the real CLI, of a target of which only the URL is known. */

const withKey = { CHATGEN_API_KEY: 'sk-discovery-4711' }
let server: ReferenceServer
beforeAll(async () => {
  server = await startReferenceServer({ keys: [withKey.CHATGEN_API_KEY] })
})
afterAll(() => server.close())

function check(...args: readonly string[]) {
  return checkOf(server.url, ...args)
}

async function checkOf(url: string, ...args: readonly string[]) {
  const folder = emptyFolder()
  const run = await chatgen(['check', url, ...args], withKey, folder)
  const { requirements, target } = reportIn(join(folder, 'chatgen-results'))
  const verdicts = requirements.map(({ id, verdict }) => `${id} ${verdict}`)
  return { ...run, verdicts, capabilities: target.capabilities }
}

const onlyModel = 'SVC-Vision'

function acceptingOnly(route: RoutePattern) {
  const isOther = (body: object) =>
    Object.entries(body).some(
      ([name, value]) => /^model/.test(name) && typeof value === 'string' && value !== onlyModel,
    )
  return rejectRequests(route, isOther, 404, 'no such model')
}

describe('chatgen check URL', () => {
  test('finds out what the selected requirements need, and judges them', async () => {
    const { code, stderr, verdicts, capabilities } = await check('--only', 'V3-THINK-01')
    expect(stderr).toContain('detected openai, v3, models, chat, chatCursor, reasoning\n')
    expect(verdicts).toEqual(['V3-THINK-01 pass'])
    expect(capabilities).toEqual({ reasoning: true })
    expect(code).toBe(0)
  })

  test('ends with the commands that get to what only a profile can say', async () => {
    const { code, stdout, verdicts } = await check('--only', 'V3-THINK-01', '--only', 'KB-0*')
    expect(verdicts).toContain('V3-THINK-01 pass')
    expect(verdicts).toContain('KB-01 unproven')
    expect(stdout).toContain(
      [
        '3 required requirements cannot be tested without knowledge.routes. Set it in a target profile:',
        `  chatgen init ${server.url} --out target.yaml    # then fill in the missing fields`,
        '  chatgen check --target target.yaml',
      ].join('\n'),
    )
    expect(code).toBe(5)
  })

  test('takes nothing for deterministic that only happened to be', async () => {
    const { verdicts } = await check('--only', 'V3-THINK-01', '--only', 'OAI-STREAM-10')
    expect(verdicts).toContain('OAI-STREAM-10 not-applicable')
  })

  test('asks only the selected surfaces', async () => {
    const { code, stderr } = await check('--profile', 'openai', '--only', 'OAI-MODELS-03')
    expect(stderr).toContain('discovery: 2 requests, 1 generation; detected openai, models\n')
    expect(stderr).not.toContain('Left on the target')
    // Discovery treats the vision model as a capability of v3 only.
    expect(code).toBe(5)
  })

  test('detects only the models if the budget is small', async () => {
    const { stderr } = await check('--only', 'V3-THINK-01', '--max-requests', '50')
    expect(stderr).toContain('discovery: models only, because of --max-requests 50')
    expect(stderr).toContain('discovery: 3 requests, 1 generation; detected openai, v3, models\n')
    expect(stderr).not.toContain('Left on the target')
  })

  test.each([
    [
      'the whole surface',
      ['--profile', 'openai', '--skip', 'OAI-MODELS', '--skip', 'OAI-STREAM-11'],
    ],
    ['some requirements', ['--only', 'OAI-CHAT', '--only', 'OAI-TEMP']],
    ['a surface without a list of models', ['--profile', 'v3', '--only', 'V3-GEN-02']],
    ['few requests', ['--only', 'OAI-CHAT-01', '--max-requests', '30']],
  ])('names a model that the target lists, for %s', async (_, args) => {
    const oneModel = await startReferenceServer({
      keys: [withKey.CHATGEN_API_KEY],
      patch: compose([
        onSuccessBody(modelList, () => ({ data: [{ id: onlyModel }] })),
        ...[completions, storeMessage, v3Generate].map(acceptingOnly),
      ]),
    })
    onTestFinished(() => oneModel.close())
    const { verdicts } = await checkOf(oneModel.url, ...args)
    const decided = verdicts.filter((line) => / (pass|fail|inconclusive|error)$/.test(line))
    expect(decided.length).toBeGreaterThan(0)
    expect(decided.filter((line) => !line.endsWith(' pass'))).toEqual([])
  })
})

test('chatgen check --target says in a line which members a run waits for', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'target.yaml'), `baseUrl: ${server.url}\n`)
  const args = ['check', '--target', 'target.yaml', '--only', 'KB-0*']
  const { code, stdout, stderr } = await chatgen(args, withKey, folder)
  expect(stderr).not.toContain('discovery')
  expect(stdout).toContain(
    'cannot be tested without capabilities.knowledge: set it in target.yaml.',
  )
  expect(code).toBe(5)
})
