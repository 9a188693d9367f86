import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { join } from 'node:path'
import type { Start } from './front.ts'

/** An OpenAI-compatible server of others, from npm. */
export interface NpmServer {
  readonly name: string
  readonly version: string
  readonly start: (place: NpmPlace) => Start
  /** Prefix of its routes, in place of `/api/openai`. */
  readonly prefix: string
  readonly headers?: (place: NpmPlace) => Readonly<Record<string, string>>
  readonly model: string
  /** Rows that it violates in truth, and rows that it is rightly warned of. */
  readonly violated: readonly string[]
  readonly warned: readonly string[]
  /** Reason for not running it. */
  readonly skipped?: string
}

export interface NpmPlace {
  /** Folder with the installed packages. */
  readonly modules: string
  readonly port: number
  readonly key: string
  /** Port of the bundled server. */
  readonly upstream: number
}

/** Longer than every limit of the suites, and no word twice: what is cut at a word is told from what is not. */
const longAnswer =
  'Before dawn our harbour wakes: gulls circle over wet decks, ropes creak, lamps burn low. Boats leave one by another while fishermen shout greetings across cold black water, coffee steams, nets dry, bells ring, and slowly light climbs above distant cliffs until everything glows.'

const answersAll = JSON.stringify({
  fixtures: [{ match: {}, response: { content: longAnswer } }],
})

/** Members that none of them knows: the answer is as without them. */
const tools = ['OAI-TOOL-01', 'OAI-FORMAT-01', 'OAI-FORMAT-02', 'OAI-N-01']

export const npmServers: readonly NpmServer[] = [
  {
    name: '@copilotkit/aimock',
    version: '1.43.0',
    prefix: '/v1',
    model: 'gpt-4',
    start: ({ modules, port, key }) => ({
      command: [
        ...[process.execPath, join(modules, '@copilotkit/aimock/dist/cli.js')],
        ...['-p', String(port), '-h', '127.0.0.1', '-f', 'fixtures.json'],
      ],
      files: { 'fixtures.json': answersAll },
      env: { AIMOCK_API_KEYS: key },
    }),
    violated: [
      'OAI-TEMP-02',
      'OAI-MAXTOK-01',
      'OAI-STOP-01',
      'OAI-STOP-02',
      'OAI-STOP-05',
      'OAI-ERR-02',
    ],
    warned: tools,
  },
  {
    name: 'mock-openai-api',
    version: '1.0.3',
    prefix: '/v1',
    model: 'mock-gpt-thinking',
    start: ({ modules, port }) => ({
      command: [
        ...[process.execPath, join(modules, 'mock-openai-api/dist/cli.js')],
        ...['-p', String(port), '-H', '127.0.0.1'],
      ],
      files: {},
    }),
    violated: [
      'OAI-AUTH-01',
      'OAI-AUTH-02',
      'OAI-AUTH-03',
      'OAI-AUTH-04',
      'OAI-TEMP-02',
      'OAI-STOP-01',
      'OAI-STOP-02',
      'OAI-STOP-05',
      'OAI-ERR-01',
      'OAI-ERR-02',
    ],
    warned: ['OAI-CHAT-10', 'OAI-STREAM-08', ...tools],
  },
  {
    name: '@dwmkerr/mock-llm',
    version: '0.1.29',
    prefix: '/v1',
    model: 'gpt-5.2',
    start: ({ modules, port }) => ({
      command: [process.execPath, join(modules, '@dwmkerr/mock-llm/dist/main.js')],
      files: {},
      env: { PORT: String(port), HOST: '127.0.0.1' },
    }),
    violated: [
      'OAI-AUTH-01',
      'OAI-AUTH-02',
      'OAI-AUTH-03',
      'OAI-AUTH-04',
      'OAI-CHAT-04',
      'OAI-CHAT-06',
      'OAI-CHAT-09',
      'OAI-TEMP-02',
      'OAI-STOP-05',
      'OAI-ERR-02',
    ],
    warned: ['OAI-STREAM-08', 'OAI-TOOL-01', 'OAI-MODELS-06'],
  },
  {
    name: 'llmock',
    version: '3.3.6',
    prefix: '/v1',
    model: 'gpt-4',
    start: ({ modules, port }) => ({
      command: [
        ...[process.execPath, join(modules, 'llmock/bin/llmock.js'), 'start', '--foreground'],
        ...[`--port=${port}`, '--host=127.0.0.1', '--endpoint=/v1/chat/completions'],
      ],
      files: {},
    }),
    violated: ['OAI-CHAT-01', 'OAI-MODELS-01'],
    warned: [],
  },
  {
    name: '@portkey-ai/gateway',
    version: '1.15.2',
    prefix: '/v1',
    model: 'svc-main-model',
    start: ({ modules, port }) => ({
      command: [
        ...[process.execPath, join(modules, '@portkey-ai/gateway/build/start-server.js')],
        ...[`--port=${port}`, '--headless'],
      ],
      files: {},
    }),
    headers: ({ upstream }) => ({
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstream}/api/openai`,
    }),
    skipped: 'it answers 500 to every request, unless the fetch of Node is patched',
    violated: ['OAI-TEMP-02', 'OAI-ERR-01'],
    warned: [],
  },
]

/** Serves `/api/openai` from the prefix of such a server, and touches nothing else. */
export async function startPrefixProxy(port: number, prefix: string): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? '/').replace(/^\/api\/openai(?=\/|$)/, prefix)
    const { method, headers } = incoming
    const forwarded = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.on('error', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
