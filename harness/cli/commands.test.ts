import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { requirementIds } from '../../contract/index.ts'
import type { RequirementResult } from '../../contract/report/conformance.ts'
import { listening } from '../client/test-support/listen-on-loopback.ts'
import { reportOf, resultOf } from '../conformance/test-support/reports.ts'
import { noCost } from '../conformance/usage.ts'
import type { Scenario } from '../conformance/vitest/collector.ts'
import { certify, vendorFolder } from './certification/test-support/bundles.ts'
import { conditionsOf, failedOf } from './check/again.ts'
import { planJson, planText } from './check/dry-run.ts'
import { explorationFor } from './check/flags.ts'
import { exitCodeOf } from './exit-codes.ts'
import {
  beginningWith,
  bin,
  chatgen,
  emptyFolder,
  expectEnd,
  workplace,
} from './test-support/chatgen.ts'
import { inProcess } from './test-support/in-process.ts'
import { startModelsServer, withKey } from './test-support/servers.ts'

test('--help lists the commands', async () => {
  const out = /^Usage: chatgen[\s\S]*\n {2}check \[options\] \[url\] /
  expectEnd(await chatgen('--help'), 0, { out })
})

test('list prints all requirements, or those of --only', async () => {
  const all = await inProcess('list --json')
  const ids = JSON.parse(all.stdout).map((row: { id: string }) => row.id)
  expect(ids).toEqual(expect.arrayContaining(requirementIds))
  const some = await inProcess('list --only V3-IDEM-*')
  expect(some.stdout.trim().split('\n')).toHaveLength(
    requirementIds.filter((id) => id.startsWith('V3-IDEM-')).length,
  )
})

test('serve reports a port in use in one line', async () => {
  await using server = await startModelsServer()
  const { port } = new URL(server.url)
  const err = `port ${port} of 127.0.0.1 is in use (EADDRINUSE)`
  expectEnd(await inProcess(`serve --port ${port}`), 2, { err })
})

test.each([
  [{ profile: 'full', only: [] }, true],
  [{ profile: 'full', only: [], explore: 0 }, false],
  [{ profile: 'full', only: ['V3-CHAT-*'] }, false],
  [{ profile: 'full', only: ['V3-CHAT-*'], explore: 9 }, true],
  [{ profile: 'v3', only: [] }, false],
  [{ profile: 'openai', only: [], explore: 9 }, false],
] as const)('a check of %j explores: %s', (flags, explores) => {
  expect(explorationFor(flags) > 0).toBe(explores)
})

test('a flag overrides its environment variable, which overrides the profile', async () => {
  await using server = await startModelsServer()
  const environment = { ...withKey, CHATGEN_ONLY: 'OAI-MODELS-04', CHATGEN_PROFILE: 'openai' }
  const rows = async (flags: string) => {
    const { run, report } = workplace(environment)
    await run(`check ${server.url} ${flags}`)
    return report().requirements.map(({ id }) => id)
  }
  expect(await rows('')).toEqual(['OAI-MODELS-04'])
  expect(await rows('--only OAI-MODELS-01')).toEqual(['OAI-MODELS-01'])
})

test('requests name run and scenario', async () => {
  const names: (string | undefined)[] = []
  const host = await listening((request, response) => {
    names.push(request.headers['user-agent'], String(request.headers['x-request-id']))
    response.setHeader('content-type', 'application/json').end('{"data":[{"id":"a"}]}')
  })
  const line = `check ${host.url} --profile openai --depth quick --seed abc`
  expect((await chatgen(line, withKey)).code).toBe(1)
  // The first request locates the compatible surface before the run, so it names no run.
  const [, , ...ofRun] = names
  expect(ofRun.length).toBeGreaterThan(20)
  expect(ofRun.filter((name) => !name?.includes('chatgen-abc/'))).toEqual([])
})

test('certify --dry-run names all missing fields and sends nothing', async () => {
  const folder = vendorFolder()
  writeFileSync(join(folder, 'product.yaml'), 'vendor: Example AG\nname: Chat\n')
  writeFileSync(join(folder, 'target.yaml'), 'capabilities: { images: false }\n')
  mkdirSync(join(folder, 'chatgen-certificate/rounds'), { recursive: true })
  const line = 'certify http://127.0.0.1:9 --target target.yaml --dry-run --product product.yaml'
  const { code, stderr } = await chatgen(line, withKey, folder)
  expect(stderr.trim().split('\n')).toEqual([
    'chatgen: product.yaml: version: it is missing',
    'chatgen: product.yaml: contact: it is missing',
    'chatgen: --challenge TEXT is missing',
    'chatgen: --key FILE is missing',
    expect.stringContaining('--out: the folder chatgen-certificate is not empty'),
    expect.stringMatching(/the profile lacks capabilities\.reasoning, .*v2Chat, assistants, tools/),
    expect.stringContaining('declare each capability true or false'),
  ])
  expect(code).toBe(2)
  const planned = await certify(vendorFolder(), '--reference --dry-run')
  const out = /^Nothing is missing\. Each of 3 rounds:\nProfile full, depth full/
  expectEnd(planned, 0, { out })
})

const root = fileURLToPath(new URL('../..', import.meta.url))
const oldNode = join(root, 'harness/cli/test-support/old-node.cjs')

function onOldNode(bin: string, args: readonly string[], env = {}) {
  return spawnSync(process.execPath, ['--require', oldNode, bin, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
}

test.each([
  ['V3-IDEM-02', 0],
  ['NOTHING', 2],
])('an old Node is replaced by that of the checkout: %s ends with %i', (id, code) => {
  const { status, stdout, stderr } = onOldNode(bin, ['explain', id])
  expect(code === 0 ? stdout : stderr).toContain(id)
  expect(status).toBe(code)
})

test('NODE_OPTIONS that the newer Node rejects are omitted with a warning', () => {
  const env = { CHATGEN_TEST_OPTIONS: '--experimental-network-imports' }
  const { status, stdout, stderr } = onOldNode(bin, ['explain', 'V3-IDEM-02'], env)
  expect(stderr).toBe(
    'chatgen: running without NODE_OPTIONS, which the newer Node refuses: --experimental-network-imports is not allowed in NODE_OPTIONS\n',
  )
  expect(stdout).toContain('V3-IDEM-02')
  expect(status).toBe(0)
})

test('a killed replacement Node ends with the exit code of a shell', () => {
  const kill = `if (process.env.CHATGEN_HANDED_OVER) process.kill(process.pid, 'SIGKILL')`
  expect(onOldNode(bin, ['explain', 'V3-IDEM-02'], beginningWith(kill)).status).toBe(128 + 9)
})

test('an old Node without a replacement prints the required version and its installation', () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, 'bin'))
  cpSync(join(root, 'bin/chatgen.cjs'), join(folder, 'bin/chatgen.cjs'))
  const { status, stderr } = onOldNode(join(folder, 'bin/chatgen.cjs'), ['check'])
  expect(stderr).toMatchInlineSnapshot(`
    "chatgen needs Node 22.22 or newer; this is Node 18.19.0.
    In a checkout, \`npm ci\` brings one along. Elsewhere install it from your system or with
    \`npm install node@24\`, and run chatgen with npx.
    "
  `)
  expect(status).toBe(2)
})

const settings = {
  selection: { profile: 'v3', only: [], skip: [] },
  depth: 'normal',
  maxGenerations: 1200,
} as const
const flat = (text: string) => text.replaceAll(/\s+/g, ' ')
const scenarios: readonly Scenario[] = [
  {
    slug: 'a',
    title: 'an answer is streamed as events',
    requirements: [],
    again: 0,
    cost: { requests: 40, generations: 20, chats: 2, uploads: 0 },
  },
  {
    slug: 'b',
    title: 'GET /chat lists the chats of a caller, the latest of them first',
    requirements: [],
    again: 3,
    cost: { ...noCost, requests: 360 },
  },
]

test('a plan fits the width of the terminal', () => {
  const text = planText(scenarios, { ...settings, width: 60 })
  expect(text.split('\n').filter((line) => line.length > 60)).toEqual([])
  expect(text).toMatch(/total +400 +20 +2 +0/)
  expect(flat(text)).toContain('Up to 3 extra generations')
})

test('exploration has its own budget in a plan', () => {
  const text = planText(scenarios, { ...settings, width: 80, explore: 100 })
  expect(text).toMatch(/^total +400 +20 +2 +0$/m)
  expect(text).toMatch(/^exploring, 100 operations +400 +24 +17 +0$/m)
  expect(text).toMatch(/^total with exploring +800 +44 +19 +0$/m)
  const plan = JSON.parse(planJson(scenarios, { ...settings, width: 80, explore: 100 }))
  expect(plan).toMatchObject({
    scenarios: [{ title: scenarios[0]?.title, requests: 40 }, { requests: 360 }],
    exploring: { operations: 100, requests: 400 },
    total: { requests: 800, generations: 44, chats: 19, uploads: 0 },
  })
})

const violated = reportOf([resultOf('OAI-CHAT-03')])
const faults = [{ scenario: 'a', message: 'b' }]

test.each([
  ['an interrupt before a violation', { interrupted: true }, 130],
  ['a violation before an internal error', { faults }, 1],
  [
    'an internal error before undecided requirements',
    { faults, outcome: 'incomplete' as const },
    4,
  ],
  ['undecided requirements', { outcome: 'incomplete' as const }, 5],
])('exit code of a check is that of %s', (_, more, code) => {
  expect(exitCodeOf({ ...violated, ...more })).toBe(code)
})

test('--failed includes requirements of suites that could not be loaded', () => {
  const requirements = [
    resultOf('OAI-CHAT-01', { verdict: 'unclaimed' }),
    resultOf('OAI-CHAT-03', { verdict: 'pass' }),
  ]
  expect(failedOf(reportOf(requirements))).toEqual(['OAI-CHAT-01'])
})

test.each([
  ['depth', { brokenBy: ['one'], scenarios: ['one', 'explore'] }, undefined],
  ['depth, and explored', { brokenBy: ['explore'] }, 300],
  ['depth, and explored', { verdict: 'inconclusive', scenarios: ['one', 'explore'] }, 300],
] satisfies [string, Partial<RequirementResult>, number | undefined][])(
  '--failed uses the %s of the earlier run: %j',
  (_, more, explore) => {
    const exploration = { operations: 300, violations: 1 }
    const report = reportOf([resultOf('V3-CHAT-10', more)], { depth: 'full', exploration })
    expect(conditionsOf(report)).toEqual({ depth: 'full', explore })
  },
)
