/** A project of a user, in files: its own server, its own vitest, types. */

const server = `import { createServer } from 'node:http'

export async function startModels(key) {
  const server = createServer((request, response) => {
    const known = request.headers.authorization === \`Bearer \${key}\`
    const found = known && request.url === '/api/openai/models'
    const error = { error: { message: 'no', type: 'invalid_request_error', param: null, code: null } }
    const model = { id: 'svc-main-model', object: 'model', created: 1, owned_by: 'us' }
    const list = { object: 'list', data: [model, { ...model, id: 'SVC-Main' }, { ...model, id: 'SVC-Vision' }] }
    response.writeHead(found ? 200 : known ? 404 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ? list : error))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: \`http://127.0.0.1:\${server.address().port}\`, close: () => server.close() }
}
`

const suite = `import { afterAll, expect, test } from 'vitest'
import { defineTarget, runConformance, startReferenceServer } from 'chatgen-conformance'
import { describeConformance } from 'chatgen-conformance/vitest'
import { startModels } from './server.mjs'

const server = await startModels('a-key-of-its-own')
afterAll(() => server.close())

describeConformance(defineTarget({ baseUrl: server.url, apiKey: 'a-key-of-its-own' }), {
  profile: 'openai',
  only: ['OAI-MODELS-01'],
})

test('a fault is a violation', async () => {
  await using faulty = await startReferenceServer({ faults: ['openai.models: the list is empty'] })
  const target = { baseUrl: faulty.url, apiKey: faulty.keys[0] }
  const report = await runConformance(target, { profile: 'openai', only: ['OAI-MODELS-01'] })
  expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['fail'])
}, 120_000)
`

const violated = `import { startReferenceServer } from 'chatgen-conformance'
import { describeConformance } from 'chatgen-conformance/vitest'

const faulty = await startReferenceServer({ faults: ['openai.models: the list is empty'] })
describeConformance(
  { baseUrl: faulty.url, apiKey: faulty.keys[0] },
  { profile: 'openai', only: ['OAI-MODELS-01'] },
)
`

const types = `import { type ConformanceReport, defineTarget, runConformance, runLoad, startReferenceServer } from 'chatgen-conformance'
import { describeConformance } from 'chatgen-conformance/vitest'

const target = defineTarget({ baseUrl: 'http://127.0.0.1', capabilities: { reasoning: true } })
export const report: Promise<ConformanceReport> = runConformance(target, { only: ['V3-IDEM-*'] })
export const outcome: 'conforms' | 'violated' | 'incomplete' = (await report).outcome
export const slo: string = (await runLoad(target, { rate: 1 })).slo[0]?.expression ?? ''
export const key: string = (await startReferenceServer({ pace: 'gap=1ms' })).keys[0]
describeConformance(target, { undecided: 'skip' })
// @ts-expect-error: there is no such member
defineTarget({ baseUrl: 'http://127.0.0.1', capabilites: {} })
// @ts-expect-error: there is no such surface
runConformance(target, { profile: 'v4' })
`

const compilerOptions = {
  strict: true,
  module: 'nodenext',
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  types: ['node'],
  noEmit: true,
}

export const consumerFiles: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  'server.mjs': server,
  'own.test.mjs': suite,
  'violated.test.mjs': violated,
  'types.ts': types,
  'tsconfig.json': JSON.stringify({ compilerOptions, files: ['types.ts'] }),
}
