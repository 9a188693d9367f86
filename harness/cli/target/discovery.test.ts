import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conformanceReport } from '../../../contract/report/conformance.ts'
import { type ReferenceServer, startReferenceServer } from '../../../reference-server/index.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'

/** `chatgen check` by the real bin, of a target of which only the address is known. */

const withKey = { CHATGEN_API_KEY: 'sk-discovery-4711' }
let server: ReferenceServer
beforeAll(async () => {
  server = await startReferenceServer({ keys: [withKey.CHATGEN_API_KEY] })
})
afterAll(() => server.close())

async function check(...args: readonly string[]) {
  const folder = emptyFolder()
  const run = await chatgen(['check', server.url, ...args], withKey, folder)
  const file = join(folder, 'chatgen-results', 'report.json')
  const report = existsSync(file)
    ? conformanceReport.parse(JSON.parse(readFileSync(file, 'utf8')))
    : undefined
  const verdicts = report?.requirements.map(({ id, verdict }) => `${id} ${verdict}`)
  return { ...run, verdicts, capabilities: report?.target.capabilities, folder }
}

describe('chatgen check URL', () => {
  test('finds out what the selected requirements need, and judges them', async () => {
    const { code, stderr, verdicts, capabilities } = await check('--only', 'V3-THINK-01')
    expect(stderr).toContain(
      'discovery: 26 requests, 7 generations; detected openai, v2, v3, models',
    )
    expect(verdicts).toEqual(['V3-THINK-01 pass'])
    expect(capabilities).toMatchObject({ reasoning: true, images: true, attachments: true })
    expect(code).toBe(0)
  })

  test('ends with the commands that get to what only a profile can say', async () => {
    const { code, stdout, verdicts } = await check('--only', 'V3-THINK-01', '--only', 'KB-0*')
    expect(verdicts).toContain('V3-THINK-01 pass')
    expect(verdicts).toContain('KB-01 unproven')
    expect(stdout).toContain(
      [
        '3 required requirements cannot be tested without knowledge.routes. Set them in a target profile:',
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
    expect(stderr).toMatch(/discovery: \d requests, 5 generations; detected openai, models/)
    expect(stderr).not.toContain('Left on the target')
    // The vision model is a capability of v3 alone to a discovery.
    expect(code).toBe(5)
  })

  test.each([
    ['where the selected requirements need none', ['--only', 'OAI-MODELS-01']],
    ['where the budget leaves no room', ['--only', 'V3-THINK-01', '--max-requests', '50']],
  ])('has no discovery %s', async (_, args) => {
    const { stderr } = await check(...args)
    expect(stderr).not.toMatch(/discovery: \d+ requests/)
    expect(stderr).not.toContain('Left on the target')
  })
})

test('chatgen check --target says in a line which members a run waits for', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'target.yaml'), `baseUrl: ${server.url}\n`)
  const args = ['check', '--target', 'target.yaml', '--only', 'KB-0*']
  const { code, stdout, stderr } = await chatgen(args, withKey, folder)
  expect(stderr).not.toContain('discovery')
  expect(stdout).toContain(
    'cannot be tested without capabilities.knowledge: set them in target.yaml.',
  )
  expect(code).toBe(5)
})
