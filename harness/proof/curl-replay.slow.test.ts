import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Exchange, header, mediaType } from '../../contract/index.ts'
import { isViolation } from '../../contract/report/conformance.ts'
import { faults } from '../../reference-server/deviations/index.ts'
import { startReferenceServer } from '../../reference-server/index.ts'
import { conformanceDocument } from '../../reports/conformance/document.ts'
import { evidenceOf, scriptsName, scriptsOf } from '../../reports/conformance/violations.ts'
import { toTerminal } from '../../reports/document/terminal.ts'
import { formParts, hasLongBody, toCurl, toScript } from '../../reports/text/curl/curl.ts'
import { StoredRecording } from '../client/index.ts'
import { forward, listen, readBody } from '../client/test-support/listen-on-loopback.ts'
import {
  check,
  exchangesIn,
  referenceProfile,
  temporaryFolder,
} from '../conformance/test-support/check.ts'
import { startDeviant } from './runs/run-target.ts'

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
    if (target === undefined) response.end()
    else forward(target, request, response, { body })
  })
  return { ...host, requests }
}

test('curl lines send the same requests as their exchanges', async () => {
  const outDir = temporaryFolder()
  const server = await startReferenceServer({ keys })
  const front = await startFront(server.url)
  const [apiKey, otherKey] = keys
  await check(referenceProfile(front.url, keys), {
    outDir,
    depth: 'quick',
    only: ['OAI-AUTH', 'V3-AUTH', 'V3-ATT', 'V3-GEN', 'OAI-CHAT', 'V3-CHAT'],
  })
  await server.close()
  await front.close()
  const repeatable = sample(exchangesIn(outDir))
  expect(repeatable.length).toBeGreaterThan(60)
  expect(repeatable.filter(hasLongBody).length).toBeGreaterThan(0)

  const recorder = await startFront()
  const lines = repeatable.map((exchange) =>
    (hasLongBody(exchange) ? toScript(exchange, null) : toCurl(exchange))
      .replaceAll(front.url, recorder.url)
      .replace('curl -i', 'curl -s -m 30'),
  )
  const script = lines.join('\n')
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
    if (before === undefined || after === undefined) throw new Error('not received')
    expect(printedHeaders(after, exchange)).toEqual(printedHeaders(before, exchange))
  }
}, 240_000)

/** One exchange of each kind, by method, route, form of the credential and special characters of the body. */
function sample(exchanges: readonly Exchange[]): readonly Exchange[] {
  const kinds = new Map<string, Exchange>()
  for (const exchange of exchanges) {
    const { method, url, headers, body } = exchange.request
    const route = new URL(url).pathname.replaceAll(/[0-9a-f-]{20,}/g, '')
    const text = body === null ? '' : Buffer.from(body).toString('latin1')
    const marks = ['\\"', '\\n', "'", '\0', 'form-data'].map((mark) => text.includes(mark))
    const isLong = hasLongBody(exchange)
    const credential = header(headers, 'authorization')?.replaceAll(/[a-z0-9-]{12,}/gi, '')
    kinds.set([method, route, credential, isLong, ...marks].join(' '), exchange)
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
  const others = [form === null ? '' : 'content-type', isWrong ? 'authorization' : '']
  const left = [...setByCurl, 'accept-encoding', ...others]
  const printed = Object.entries(headers).filter(([name]) => !left.includes(name))
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
  const parts = form?.map((part) => ({ ...part, content: text(part.content) }))
  return { method, path, headers: Object.fromEntries(printed), body: parts ?? text(body) }
}

const seed = 'curl-1'
const number = 20

describe(`${number} of ${faults.length} faults, drawn by seed`, () => {
  test.each(drawn(number))(
    'violations of $name take 12 rows, and their commands reproduce the response',
    async ({ patch, breaks }) => {
      const outDir = temporaryFolder()
      const target = await startDeviant(patch)
      const report = await check(target.profile, { outDir, only: breaks, depth: 'quick' })
      const violated = report.requirements.filter(isViolation)
      expect(violated.map(({ id }) => id)).toEqual(expect.arrayContaining([breaks[0]]))

      const exchanges = new StoredRecording(join(outDir, 'exchanges.ndjson'), outDir)
      mkdirSync(join(outDir, scriptsName))
      for (const [path, script] of scriptsOf(report, exchanges)) writeFileSync(path, script)
      const document = conformanceDocument({ ...report, strict: true }, exchanges)
      for (const width of [60, 80]) {
        const text = toTerminal(document, { color: false, width })
        expect(rowsOf(text, width), text).toBeLessThanOrEqual(12 * violated.length)
        for (const { command, status } of commandsIn(text))
          expect({ command, status: (await pasted(command)).status }).toEqual({ command, status })
      }
      for (const requirement of violated) {
        const { exchange, script } = evidenceOf(exchanges, [requirement])[0] ?? {}
        expect({ script, ...(await pasted(`bash ${script}`)) }).toMatchObject({
          status: exchange?.response?.status,
          kind: exchange && mediaType(exchange),
        })
      }
      await target.close()
    },
    240_000,
  )
})

/** Faults by seed. */
function drawn(number: number) {
  const order = (name: string) => hash('sha256', `${seed} ${name}`)
  return faults.toSorted((a, b) => order(a.name).localeCompare(order(b.name))).slice(0, number)
}

/** Rows of the section of violations in a terminal. */
function rowsOf(text: string, width: number): number {
  const section = /\nViolated.*\n([\s\S]*?)\n\n(?! *violated)/.exec(text)?.[1] ?? ''
  return section.split('\n').reduce((rows, line) => rows + Math.ceil(line.length / width), 0)
}

/** The printed commands, with the status that follows each. */
function commandsIn(text: string) {
  const found = text.matchAll(/^ *((?:CHAT=|curl|bash|echo|printf)[\s\S]*?)\n *→ (\d{3})/gm)
  return [...found].map(([, command = '', status]) => ({ command, status: Number(status) }))
}

async function pasted(command: string) {
  const env = {
    ...process.env,
    CHATGEN_API_KEY: 'sk-proof-first-caller',
    CHATGEN_OTHER_KEY: 'sk-proof-second-caller',
  }
  const { stdout } = await run('bash', ['-c', command], { env, timeout: 30_000 }).catch(
    (error) => error,
  )
  return answerOf(stdout)
}

/** Status and media type in the output of `curl -i`, without a preceding 100. */
function answerOf(printed: string) {
  const head = printed.split(/\r?\n\r?\n/).find((one) => /^HTTP\S+ (?!1)/.test(one)) ?? ''
  return {
    status: Number(/^HTTP\S+ (\d+)/.exec(head)?.[1]),
    kind: (/^content-type: ([^;\r\n]*)/im.exec(head)?.[1] ?? '').toLowerCase(),
  }
}
