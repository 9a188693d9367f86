/** Responses of a whole check against /openapi.json, with a validator that shares no code with either. */

import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import type { Exchange, WireResponse } from '../../contract/index.ts'
import { startReferenceServer } from '../../reference-server/index.ts'
import type { Json } from '../../reference-server/test-support/server.ts'
import { ended } from '../client/test-support/listen-on-loopback.ts'
import { readRecording } from './results/stored-report.ts'
import { workplace } from './test-support/chatgen.ts'

test('responses of a full check match /openapi.json', async () => {
  const { at, ends } = workplace()
  // Deeper runs add no operation, status or media type.
  await ends('check --reference --depth quick --quiet', 0)
  const server = ended(await startReferenceServer())
  const document: Json = await (await fetch(`${server.url}/openapi.json`)).json()
  const validate = validator(document)
  const recording = readRecording(at('chatgen-results/exchanges.ndjson'))
  const problems: string[] = []
  const described = new Set<string>()
  const broken: string[] = []
  let undescribed = 0
  for (const exchange of recording.exchanges.values()) {
    const { request, response, ending } = exchange
    if (response === null || ending.kind !== 'complete') continue
    const found = operationOf(document, exchange)
    if (found === undefined) {
      undescribed += 1
      expect([request.url, response.status >= 400]).toEqual([request.url, true])
      continue
    }
    described.add(found.operation.operationId)
    const name = `${exchange.id}: ${request.method} ${found.path} ${response.status}`
    const problem = validate(found.operation, response)
    if (problem !== undefined) problems.push(`${name}: ${problem}`)
    const emptied = { ...response, chunks: [{ atMs: 0, bytes: Buffer.from('{}') }] }
    const type = response.headers.find(([header]) => header === 'content-type')?.[1] ?? ''
    if (type.includes('json') && validate(found.operation, emptied) === undefined) broken.push(name)
  }
  expect(problems).toEqual([])
  // An empty object is not valid, unless the document requires no field.
  expect(broken).toEqual([])
  expect(recording.exchanges.size).toBeGreaterThan(500)
  expect(undescribed).toBeLessThan(recording.exchanges.size / 10)
  expect(described.size).toBeGreaterThan(25)
}, 300_000)

function operationOf({ paths }: Json, { request }: Exchange) {
  const { pathname } = new URL(request.url)
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
  const matching = Object.keys(paths)
    .filter((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`).test(pathname))
    // A literal segment wins over a parameter.
    .toSorted((one, other) => one.split('{').length - other.split('{').length)
  const path = matching.find((candidate) => paths[candidate][method] !== undefined)
  return path === undefined ? undefined : { path, operation: paths[path][method] }
}

/** A response is described if its status is listed, not only as `default`, and its body is valid. */
function validator(document: Json) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(document, 'document')
  const follow = (node: Json): Json =>
    node?.$ref === undefined
      ? node
      : node.$ref
          .slice(2)
          .split('/')
          .reduce((at: Json, key: string) => at[key], document)
  const compiled = new WeakMap<object, ReturnType<typeof ajv.compile>>()
  return (operation: Json, response: WireResponse): string | undefined => {
    const described = follow(operation.responses[response.status])
    if (described === undefined) return 'status not described'
    const bytes = Buffer.concat(response.chunks.map((chunk) => chunk.bytes))
    const type = response.headers.find(([name]) => name === 'content-type')?.[1].split(';')[0] ?? ''
    if (bytes.length === 0) return undefined
    const content = described.content?.[type]
    if (content === undefined) return `media type ${type} not described`
    if (type === 'text/event-stream') return undefined
    const schema = follow(content.schema)
    const check = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, check)
    return check(JSON.parse(bytes.toString())) ? undefined : ajv.errorsText(check.errors)
  }
}
