import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Exchange, header, mediaType } from '../../contract/index.ts'
import { targetFixture } from '../../fixtures/targets.ts'
import { faults } from '../../reference-server/deviations/index.ts'
import { startReferenceServer } from '../../reference-server/index.ts'
import { chatOf } from '../../reports/text/curl/chat.ts'
import { formParts, toCurl } from '../../reports/text/curl/curl.ts'
import { listen, readBody } from '../client/test-support/listen-on-loopback.ts'
import {
  check,
  exchangesIn,
  referenceProfile,
  temporaryFolder,
} from '../conformance/test-support/check.ts'
import { startDeviant } from './runs/target.ts'

const run = promisify(execFile)
const keys = [`sk-first"caller'$0123\\456789`, 'sk-second-caller-0123456789']

interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Records every request and forwards it if there is a server behind the proxy. */
async function startFront(target?: string) {
  const requests: ReceivedRequest[] = []
  const host = await listen(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = await readBody(request)
    requests.push({ method, path: url, headers, body })
    if (target === undefined) return void response.end()
    const { connection: _, host: __, 'content-length': ___, expect: ____, ...kept } = headers
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: Object.entries(kept).map(([name, value]) => [name, String(value)]),
      ...(body.length === 0 ? {} : { body }),
    })
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  return { ...host, requests }
}

test('the curl line of an exchange sends what the exchange sent', async () => {
  const outDir = temporaryFolder()
  const server = await startReferenceServer({ keys })
  const front = await startFront(server.url)
  const [apiKey, otherKey] = keys
  await check(referenceProfile(front.url, keys), {
    outDir,
    only: ['OAI-AUTH', 'V3-AUTH', 'V3-ATT', 'V3-GEN', 'OAI-CHAT', 'V3-CHAT'],
  })
  await server.close()
  await front.close()
  const exchanges = exchangesIn(outDir)
  const all = exchanges.filter((exchange) => !toCurl(exchange).includes('.body'))
  expect(all.length).toBeGreaterThan(exchanges.length * 0.9)
  const repeatable = sample(all)
  expect(repeatable.length).toBeGreaterThan(60)

  const recorder = await startFront()
  const lines = repeatable.map((exchange) => toCurl(exchange).replaceAll(front.url, recorder.url))
  const script = lines.map((line) => line.replace('curl -i', 'curl -s -m 30')).join('\n')
  const env = { ...process.env, CHATGEN_API_KEY: apiKey, CHATGEN_OTHER_KEY: otherKey, LC_ALL: 'C' }
  const file = join(outDir, 'replay.sh')
  writeFileSync(file, script)
  await run('bash', [file], { env, maxBuffer: 1 << 26 })
  await recorder.close()
  expect(recorder.requests.length).toBe(repeatable.length)

  const sent = new Map(front.requests.map((one) => [one.headers['x-request-id'], one]))
  for (const [at, exchange] of repeatable.entries()) {
    const before = sent.get(header(exchange.request.headers, 'x-request-id'))
    const after = recorder.requests[at]
    if (before === undefined || after === undefined) throw new Error('not heard')
    expect(printedHeaders(after, exchange)).toEqual(printedHeaders(before, exchange))
  }
}, 120_000)

/** One exchange of each kind, by method, route, form of the credential and special characters of the body. */
function sample(exchanges: readonly Exchange[]): readonly Exchange[] {
  const kinds = new Map<string, Exchange>()
  for (const exchange of exchanges) {
    const { method, url, headers, body } = exchange.request
    const route = new URL(url).pathname.replaceAll(/[0-9a-f-]{20,}/g, '')
    const text = body === null ? '' : Buffer.from(body).toString('latin1')
    const marks = ['\\"', '\\n', "'", '\0', 'form-data'].map((mark) => text.includes(mark))
    const credential = header(headers, 'authorization')?.replaceAll(/[a-z0-9-]{12,}/gi, '')
    kinds.set([method, route, credential, ...marks].join(' '), exchange)
  }
  return [...kinds.values()]
}

const setByCurl = ['host', 'connection', 'user-agent', 'x-request-id', 'content-length', 'expect']

function printedHeaders(
  { method, path, headers, body }: ReceivedRequest,
  { request, labels }: Exchange,
): unknown {
  const form = formParts(headers['content-type'] ?? '', body)
  const authorization = header(request.headers, 'authorization')
  // The wrong key of a request that has to be refused may differ.
  const isWrong = labels.role === 'negative' && !authorization?.includes('[')
  const left = [
    ...setByCurl,
    'accept-encoding',
    ...(form === null ? [] : ['content-type']),
    ...(isWrong ? ['authorization'] : []),
  ]
  return {
    method,
    path,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !left.includes(name))),
    body: form === null ? body.toString('latin1') : form.map(partShown),
  }
}

function partShown(part: NonNullable<ReturnType<typeof formParts>>[number]): unknown {
  return { ...part, content: Buffer.from(part.content).toString('latin1') }
}

const seed = 'curl-1'

test.each(drawn(6))(
  '$name: the command of each violation answers as the report says',
  async ({ patch, breaks }) => {
    const outDir = temporaryFolder()
    const target = await startDeviant(patch, targetFixture('reference'))
    const { requirements } = await check(target.profile, { outDir, only: breaks })
    const all = new Map(exchangesIn(outDir).map((exchange) => [exchange.id, exchange]))
    const violated = requirements.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    expect(violated.map(({ id }) => id)).toEqual(expect.arrayContaining([breaks[0]]))
    const env = {
      ...process.env,
      CHATGEN_API_KEY: 'sk-proof-first-caller',
      CHATGEN_OTHER_KEY: 'sk-proof-second-caller',
    }
    for (const {
      id,
      exchanges: [first = ''],
    } of violated) {
      const exchange = all.get(first)
      if (exchange === undefined) throw new Error(`${id} has no exchange`)
      const command = toCurl(exchange, { chat: chatOf(exchange, all) })
      const { stdout } = await run('bash', ['-c', command.replace('curl -i', 'curl -s -i -m 30')], {
        env,
      }).catch((error) => error)
      expect({ id, command, ...answerOf(stdout) }).toMatchObject({
        id,
        status: exchange.response?.status,
        kind: mediaType(exchange),
      })
    }
    await target.close()
  },
  120_000,
)

/** Faults by seed. */
function drawn(number: number) {
  const order = (name: string) => createHash('sha256').update(`${seed} ${name}`).digest('hex')
  return faults.toSorted((a, b) => order(a.name).localeCompare(order(b.name))).slice(0, number)
}

/** Status and media type in the output of `curl -i`, without a preceding 100. */
function answerOf(printed: string) {
  const head = printed.split(/\r?\n\r?\n/).find((one) => /^HTTP\S+ (?!1)/.test(one)) ?? ''
  return {
    status: Number(/^HTTP\S+ (\d+)/.exec(head)?.[1]),
    kind: (/^content-type: ([^;\r\n]*)/im.exec(head)?.[1] ?? '').toLowerCase(),
  }
}
