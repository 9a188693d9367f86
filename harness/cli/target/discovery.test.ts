import { afterAll, describe, expect, test, vi } from 'vitest'
import { onSuccessBody } from '../../../reference-server/deviations/patches/replies.ts'
import type { FaultyOperation } from '../../../reference-server/deviations/patches/requests.ts'
import { rejectRequests } from '../../../reference-server/deviations/patches/requests.ts'
import { compose } from '../../../reference-server/deviations/patches/services.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { ended, startForwardProxy } from '../../client/test-support/listen-on-loopback.ts'
import {
  certificate,
  certificateFile,
  type Front,
  startTlsServer,
} from '../../client/test-support/tls-front.ts'
import { chatgen, expectEnd, workplace } from '../test-support/chatgen.ts'
import { key, withKey } from '../test-support/servers.ts'

/** `chatgen check` with the real CLI, of a target of which only the URL is known. */

const server = await startReferenceServer({ keys: [key] })
afterAll(() => server.close())

async function check(line: string, url = server.url) {
  const { run, report } = workplace(withKey)
  const ended = await run(`check ${url} ${line}`)
  const { requirements, target } = report()
  const verdicts = requirements.map(({ id, verdict }) => `${id} ${verdict}`)
  return { ...ended, verdicts, capabilities: target.capabilities }
}

const onlyModel = 'SVC-Vision'

function acceptingOnly(route: FaultyOperation) {
  const isOther = (body: object) =>
    Object.entries(body).some(
      ([name, value]) => /^model/.test(name) && typeof value === 'string' && value !== onlyModel,
    )
  return rejectRequests(route, isOther, 404, 'no such model')
}

describe('chatgen check URL', () => {
  test('detects what the selected requirements need, and judges them', async () => {
    const found = await check('--only V3-THINK-01 --depth quick')
    const { code, stderr, verdicts, capabilities } = found
    expect(stderr).toContain('detected openai, v3, models, chat, chatCursor, reasoning\n')
    expect(verdicts).toEqual(['V3-THINK-01 pass'])
    expect(capabilities).toEqual({ reasoning: true })
    expect(code).toBe(0)
  })

  test('prints the commands that create a profile for the rest', async () => {
    const only = '--only V3-THINK-01 --only KB-0* --only OAI-STREAM-10'
    const { code, stdout, verdicts } = await check(`${only} --depth quick`)
    expect(verdicts).toContain('V3-THINK-01 pass')
    expect(verdicts).toContain('KB-01 unproven')
    // Two equal answers to one request may be equal by chance.
    expect(verdicts).toContain('OAI-STREAM-10 not-applicable')
    expect(stdout).toContain(`\
3 required requirements cannot be tested without knowledge.routes. Set it in a target profile:
  chatgen init ${server.url} --out target.yaml    # then fill in the missing fields
  chatgen check --target target.yaml`)
    expect(code).toBe(5)
  })

  test('uses only the selected surfaces', async () => {
    const { code, stderr } = await check('--profile openai --only OAI-MODELS-03')
    expect(stderr).toContain('discovery: 2 requests, 1 generation; detected openai, models\n')
    expect(stderr).not.toContain('Left on the target')
    // Discovery treats the vision model as a capability of v3 only.
    expect(code).toBe(5)
  })

  test('detects only the models if the budget is small', async () => {
    const { stderr } = await check('--only V3-THINK-01 --max-requests 50 --depth quick')
    expect(stderr).toContain('discovery: models only, because of --max-requests 50')
    expect(stderr).toContain('discovery: 3 requests, 1 generation; detected openai, v3, models\n')
    expect(stderr).not.toContain('Left on the target')
  })

  test.each([
    ['the whole surface', '--profile openai --skip OAI-MODELS,OAI-STREAM-11'],
    ['some requirements', '--only OAI-CHAT --only OAI-TEMP'],
    ['a surface without a list of models', '--profile v3 --only V3-GEN-02'],
    ['few requests', '--only OAI-CHAT-01 --max-requests 30'],
  ])('uses a listed model for %s', async (_, line) => {
    const patch = compose([
      onSuccessBody('openai.models', () => ({ data: [{ id: onlyModel }] })),
      ...(['openai.chat', 'v2.message', 'v3.generate'] as const).map(acceptingOnly),
    ])
    const oneModel = ended(await startReferenceServer({ keys: [key], patch }))
    const { verdicts } = await check(line, oneModel.url)
    const decided = verdicts.filter((text) => / (pass|fail|inconclusive|error)$/.test(text))
    expect(decided.length).toBeGreaterThan(0)
    expect(decided.filter((text) => !text.endsWith(' pass'))).toEqual([])
  })
})

describe('--max-requests of a bare URL', () => {
  async function checkThroughProxy(maxRequests: number) {
    const proxy = ended(await startForwardProxy())
    const url = `http://chat.test:${new URL(server.url).port}`
    const env = { ...withKey, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }
    const line = `check ${url} --max-requests ${maxRequests} --depth quick`
    return { ...(await chatgen(line, env)), requests: proxy.requests.length }
  }

  test.each([20, 33])('of %i includes the requests before the run', async (maxRequests) => {
    const { code, stdout, requests } = await checkThroughProxy(maxRequests)
    expect(stdout.replace(/\s+/g, ' ')).toContain(`the budget of ${maxRequests} requests (--max-re`)
    expect(stdout).toContain(`requests sent: ${requests} `)
    expect(requests).toBeLessThanOrEqual(maxRequests)
    expect(code).toBe(5)
  })

  test('is rejected before any request if it is too low', async () => {
    const { code, stderr, requests } = await checkThroughProxy(19)
    expect(stderr).toContain('--max-requests 19 is too low for a bare URL')
    expect({ code, requests }).toEqual({ code: 2, requests: 0 })
  })
})

test('chatgen check --target names the missing fields of the profile', async () => {
  const { ends } = workplace(withKey, { 'target.yaml': `baseUrl: ${server.url}\n` })
  const out = 'cannot be tested without capabilities.knowledge: set it in target.yaml.'
  const ended = await ends('check --target target.yaml --only KB-0*', 5, { out })
  expect(ended.stderr).not.toContain('discovery')
})

// Each test starts the real command once or twice, and the machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

const only = '--only OAI-MODELS-01 --profile openai --quiet'

const listed = JSON.stringify({ object: 'list', data: [{ id: 'svc-main-model', object: 'model' }] })

async function secure(name: Parameters<typeof certificate>[0] = 'server'): Promise<Front> {
  const handle = (_: unknown, response: Parameters<Parameters<typeof startTlsServer>[0]>[1]) => {
    response.setHeader('content-type', 'application/json')
    response.end(listed)
  }
  return ended(await startTlsServer(handle, certificate(name)))
}

const ca = certificateFile('ca.pem')
const out = '1 passed, 0 violated'

describe('chatgen check', () => {
  test('trusts an authority by variable or profile', async () => {
    const front = await secure()
    const profile = `baseUrl: ${front.url}\nnetwork: { ca: ${ca}, httpVersion: 1 }\n`
    const { run } = workplace(withKey, { 'target.yaml': profile })
    const runs = await Promise.all([
      chatgen(`check ${front.url} ${only}`, { ...withKey, CHATGEN_CA: ca }),
      run(`check --target target.yaml ${only}`),
    ])
    for (const run of runs) {
      expectEnd(run, 0, { out })
      expect(run.stderr).not.toContain('certificate')
    }
    expect(new Set(front.protocols)).toEqual(new Set(['h2', 'http/1.1']))
  })

  test('warns that --insecure verifies nothing', async () => {
    const front = await secure('self-signed')
    const err = '--insecure: the TLS certificate of the target is not verified'
    expectEnd(await chatgen(`check ${front.url} ${only} --insecure`, withKey), 0, { out, err })
  })

  test('ends with 3 and one line for plain HTTP on a TLS port', async () => {
    const { port } = await secure()
    const ended = await chatgen(`check http://127.0.0.1:${port}`, withKey)
    expectEnd(ended, 3, { err: /^.*speaks TLS; try https:\/\/127\.0\.0\.1:.*\n$/ })
  })

  test('uses HTTPS_PROXY and --resolve, unless NO_PROXY matches', async () => {
    const front = await secure()
    const url = `https://chat.test:${front.port}`
    const credential = `Basic ${Buffer.from('bob:a-secret').toString('base64')}`
    const proxy = ended(await startForwardProxy({ credential }))
    const env = { ...withKey, HTTPS_PROXY: `http://bob:a-secret@127.0.0.1:${proxy.port}` }
    const line = `check ${url} ${only} --ca ${ca}`
    expectEnd(await chatgen(line, env), 0, { out })
    expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT chat.test:${front.port}`]))
    const requestCount = proxy.requests.length
    const around = `${line} --resolve chat.test:${front.port}:127.0.0.1`
    expectEnd(await chatgen(around, { ...env, NO_PROXY: '.test' }), 0, { out })
    expect(proxy.requests).toHaveLength(requestCount)
  })
})
