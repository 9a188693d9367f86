/**
 * `node scripts/record-clients.ts`: records how real HTTP clients write their requests, for fixtures/clients.json.
 * A client that is not installed is skipped, and keeps its recorded entry. PYTHON has requests, httpx, aiohttp and
 * openai; CLASSPATH has okhttp; CHROMIUM is a browser.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { headOf, type RecordedClient, recordedClients, shapes } from '../fixtures/clients.ts'
import { listen, readBody } from '../harness/client/test-support/listen-on-loopback.ts'
import { type Call, nodeClients, openClient, pythonClients } from './clients/program.ts'
import { optionsOf } from './options.ts'

optionsOf(import.meta, {})
const output = fileURLToPath(new URL('../fixtures/clients.json', import.meta.url))

/** Shows how a client writes JSON: letters of other scripts, and characters that some escape. */
const text = 'é東🚀 <a> & "b" /'
const body = {
  model: 'm',
  messages: [{ role: 'user', content: text }],
  temperature: 0.5,
  max_tokens: 9,
}
const calls: readonly Call[] = [
  { method: 'GET', path: '/get' },
  { method: 'DELETE', path: '/delete' },
  { method: 'POST', path: '/empty' },
  { method: 'POST', path: '/json', body },
  { method: 'POST', path: '/keyed', body, key: 'idem' },
  { method: 'PUT', path: '/put', body },
  { method: 'PATCH', path: '/patch', body },
  { method: 'POST', path: '/form', form: true },
  { method: 'POST', path: '/stream', body: { ...body, stream: true } },
]

const asksForStream = /"stream": ?true/

/** Functions that let a client send all calls; each resolves with its version. */
const clients: Readonly<Record<string, (base: string) => Promise<string>>> = {
  ...Object.fromEntries(
    ['curl', ...pythonClients, ...nodeClients, 'chromium'].map((name) => [
      name,
      async (base: string) => {
        const client = openClient(name, base, 'key')
        for (const call of calls) await client.send(call)
        return client.close()
      },
    ]),
  ),
  go: (base) => run('go', ['run', program('call.go'), base, text]),
  okhttp: (base) =>
    run('java', [
      '-cp',
      process.env['CLASSPATH'] ?? '',
      program('Call.java'),
      base,
      JSON.stringify(body),
    ]),
}

function program(name: string): string {
  return fileURLToPath(new URL(`clients/${name}`, import.meta.url))
}

async function run(command: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(command, args, { timeout: 60_000 })).stdout
}

interface Received {
  readonly shape: string
  /** Ordinal of the connection. */
  readonly connection: number
  /** Header lines. */
  readonly head: readonly string[]
  readonly body: string
}

await main()

async function main(): Promise<void> {
  const entries: Record<string, RecordedClient> = { ...recordedClients }
  for (const [name, send] of Object.entries(clients)) {
    const { url, received, close } = await openRecorder()
    try {
      entries[name] = describe(received, await send(url))
      console.log(`${name}: ${entries[name]?.version}`)
    } catch (error) {
      const reason = String(error).trim()
      console.log(`${name}: skipped (${reason})`)
    } finally {
      await close()
    }
  }
  writeFileSync(output, `${JSON.stringify(entries, null, 2)}\n`)
}

/** Entry of fixtures/clients.json. */
function describe(received: readonly Received[], printed: string): RecordedClient {
  const of = (shape: string) => received.find((one) => one.shape === shape)
  const { body = '' } = of('json') ?? {}
  const sent = shapes.flatMap((shape) => {
    const one = of(shape)
    // aiohttp sends a content type without a body, which a server may refuse (RFC 9110, section 8.3).
    const isTyped = shape === 'empty' && one?.head.some((line) => /^content-type:/i.test(line))
    return one === undefined || isTyped ? [] : [[shape, template(one)] as const]
  })
  const heads: Record<string, string> = Object.fromEntries(sent)
  for (const shape of ['put', 'patch']) {
    const one = of(shape)
    if (one !== undefined && template(one) !== heads['json']) {
      throw new Error(`${shape} is written in another way than json`)
    }
  }
  for (const shape of shapes.toReversed()) {
    const stored = heads[shape]
    delete heads[shape]
    // An empty string marks a shape that the client does not send.
    if (headOf(heads, shape) !== stored) heads[shape] = stored ?? ''
  }
  const boundary = /boundary=(\S+)/.exec(of('form')?.head.join('\n') ?? '')?.[1]
  return {
    version: /\d+\.\d+[.\d]*/.exec(printed)?.[0] ?? '',
    keepsConnections: new Set(received.map(({ connection }) => connection)).size < received.length,
    ...(body.includes('": ') ? { spacedJson: true } : {}),
    ...(body.includes('\\u00e9') ? { escapesUnicode: true } : {}),
    ...(body.includes('\\u003c') ? { escapesHtml: true } : {}),
    ...completionOf(of('json'), of('stream')),
    ...(boundary === undefined ? {} : { boundary }),
    ...(of('form')?.body.includes('text/plain\r\nContent-Disp') ? { typesParts: true } : {}),
    heads,
  }
}

/** Differences of a completion from the body that the client was given. */
function completionOf(plain: Received | undefined, streamed: Received | undefined) {
  if (plain === undefined || streamed === undefined) return {}
  const [names, members] = [plain, streamed].map((one) => Object.keys(JSON.parse(one.body)))
  const isGiven = members?.join() === [...Object.keys(body), 'stream'].join()
  const streams = template(streamed) === template(plain) && !members?.includes('stream_options')
  return {
    ...(isGiven || members === undefined ? {} : { members }),
    ...(names?.includes('stream') ? { addsStream: true } : {}),
    ...(streams ? {} : { streams }),
  }
}

/** The header lines, with the values that differ between requests as placeholders. */
function template({ head }: Received): string {
  const host = /^host: (.*)$/im.exec(head.join('\n'))?.[1] ?? ''
  return (
    head
      .map((line) =>
        line.replace(`http://${host}`, 'http://{host}').replace(/^(host: ).*/i, '$1{host}'),
      )
      .map((line) => line.replace('Bearer key', '{authorization}').replace(/: idem$/, ': {key}'))
      .map((line) => line.replace(/^(content-length: ).*/i, '$1{length}'))
      .map((line) => line.replace(/^(content-type: )(application\/json|multipart).*/i, '$1{type}'))
      // A headless browser uses this name; users have the other one.
      .map((line) =>
        line
          .replace(/HeadlessChrome\/(\d+)[.\d]+/, 'Chrome/$1.0.0.0')
          .replace('HeadlessChrome', 'Google Chrome'),
      )
      .join('\n')
  )
}

/** A server that answers every request, and keeps what it received. */
async function openRecorder() {
  const received: Received[] = []
  const connections = new Map<unknown, number>()
  const host = await listen(async (request, response) => {
    const { method = '', url = '', rawHeaders, socket } = request
    const connection = connections.get(socket) ?? connections.size
    connections.set(socket, connection)
    const body = String(await readBody(request))
    const head = rawHeaders.flatMap((name, at) =>
      at % 2 ? [] : [`${name}: ${rawHeaders[at + 1]}`],
    )
    received.push({ shape: shapeOf(method, url, body), connection, head, body })
    const isStream = asksForStream.test(body)
    const isPage = url === '/page'
    const type = isStream ? 'text/event-stream' : isPage ? 'text/html' : 'application/json'
    response.setHeader('content-type', type)
    response.end(isStream ? 'data: [DONE]\n\n' : isPage ? '<p>' : '{"object":"list","data":[]}')
  })
  return { ...host, received }
}

/** The shape that the path names, or that of a request of an SDK. */
function shapeOf(method: string, path: string, body: string): string {
  const [, shape = ''] = path.split('/')
  if (shape !== 'api') return shape
  return method === 'GET' ? 'get' : asksForStream.test(body) ? 'stream' : 'json'
}
