import { asJson, asList, asText, isText } from '../json.ts'
import {
  ignores,
  isCompletion,
  isGenerate,
  isOneShot,
  isStream,
  refuses,
  runs,
  skips,
  streamed,
  type Violation,
} from './violation.ts'

/** Clauses that are broken in one form of a request only. */
export const forms: readonly Violation[] = [
  {
    name: 'completions ignore max_tokens in streams',
    section: '4.1',
    breaks: ['OAI-MAXTOK-01'],
    changes: runs(streamed('openai'), () => ({ maxTokens: undefined })),
  },
  {
    name: 'completions ignore stop in streams',
    section: '4.1',
    breaks: ['OAI-STOP-05'],
    changes: runs(streamed('openai'), () => ({ stops: [] })),
  },
  {
    name: 'completions ignore a list of stops in streams',
    section: '4.1',
    breaks: ['OAI-STOP-05'],
    changes: runs(
      (turn) => streamed('openai')(turn) && Array.isArray(turn.body['stop']),
      () => ({ stops: [] }),
    ),
  },
  {
    name: 'completions use the first of several stops only',
    section: '4.1',
    breaks: ['OAI-STOP-02'],
    changes: runs(
      ({ surface }) => surface === 'openai',
      ({ stops }) => ({ stops: stops.slice(0, 1) }),
    ),
  },
  {
    name: 'completions check no types in streams',
    section: '7',
    breaks: ['OAI-ERR-02', 'OAI-TEMP-02'],
    changes: skips('types', (call, body) => isCompletion(call) && isStream(body)),
  },
  {
    name: 'completions refuse the alias in streams',
    section: '2.1',
    breaks: ['OAI-MODELS-02'],
    changes: refuses(
      (call, body) => isCompletion(call) && isStream(body) && body['model'] === 'SVC-Main',
    ),
  },
  {
    name: 'generations take both tool lists in streams',
    section: '4.3',
    breaks: ['V3-TOOLS-01'],
    changes: skips('both lists', (call, body) => isGenerate(call) && isStream(body)),
  },
  {
    name: 'generations take both tool lists with think',
    section: '4.3',
    breaks: ['V3-TOOLS-01'],
    changes: skips('both lists', (call, body) => isGenerate(call) && body['think'] === true),
  },
  {
    name: 'generations check no types in streams',
    section: '4.3',
    breaks: ['V3-GEN-17'],
    changes: skips('types', (call, body) => isGenerate(call) && isStream(body)),
  },
  {
    name: 'generations need no key of the turn in streams',
    section: '4.3',
    breaks: ['V3-IDEM-01'],
    changes: skips('idempotency key', (_, body) => isStream(body)),
  },
  {
    name: 'generations need no key of the turn with think',
    section: '4.3',
    breaks: ['V3-IDEM-01'],
    changes: skips('idempotency key', (_, body) => body['think'] === true),
  },
  {
    name: 'generations ignore max_tokens in streams',
    section: '4.3',
    breaks: ['V3-GEN-10'],
    changes: runs(streamed('generate'), () => ({ maxTokens: undefined })),
  },
  {
    name: 'generations ignore parent_id in streams',
    section: '4.3',
    breaks: ['V3-CTX-01'],
    changes: runs(streamed('generate'), ({ texts }) => ({ texts: texts.slice(-1) })),
  },
  {
    name: 'generations ignore exclude_tools in streams',
    section: '4.3',
    breaks: ['V3-TOOLS-02'],
    changes: ignores('exclude_tools', (call, body) => {
      return isGenerate(call) && isStream(body) && body['include_tools'] === undefined
    }),
  },
  {
    name: 'generations ignore include_tools in streams',
    section: '4.3',
    breaks: ['V3-TOOLS-03'],
    changes: ignores('include_tools', (call, body) => {
      return isGenerate(call) && isStream(body) && body['exclude_tools'] === undefined
    }),
  },
  {
    name: 'generations ignore rag in streams',
    section: '4.4',
    breaks: ['RAG-01'],
    changes: runs(streamed('generate'), () => ({ rag: false })),
  },
  {
    name: 'streams search with rag: false',
    section: '4.4',
    breaks: ['RAG-02'],
    changes: runs(
      (turn) => streamed('generate')(turn) && turn.rag === false,
      () => ({ rag: true }),
    ),
  },
  {
    name: 'streams search with rag: agent',
    section: '4.4',
    breaks: ['RAG-03'],
    changes: runs(
      (turn) => streamed('generate')(turn) && turn.rag === 'agent',
      () => ({ rag: true }),
    ),
  },
  {
    name: 'generations refuse the alias in streams',
    section: '2.1',
    breaks: ['V3-MODEL-01'],
    changes: refuses(
      (call, body) => isGenerate(call) && isStream(body) && body['model_id'] === 'SVC-Main',
    ),
  },
  {
    name: 'one-shot refuses the alias',
    section: '2.1',
    breaks: ['V3-MODEL-01'],
    changes: refuses((call, body) => isOneShot(call) && body['model_id'] === 'SVC-Main'),
  },
  {
    name: 'generations refuse a list of items in streams',
    section: '4.3',
    breaks: ['V3-GEN-06'],
    changes: refuses(
      (call, body) => isGenerate(call) && isStream(body) && Array.isArray(body['input']),
    ),
  },
  {
    name: 'generations refuse text with think',
    section: '4.3',
    breaks: ['V3-GEN-05', 'V3-THINK-01'],
    changes: refuses(
      (call, body) => isGenerate(call) && body['think'] === true && isText(body['input']),
    ),
  },
  {
    name: 'generations in v2 chats run in streams',
    section: '9',
    breaks: ['VER-04'],
    changes: skips('version', (call) => isGenerate(call) && isStream(call.raw)),
  },
  {
    name: 'reasoning stands in the unstreamed answer',
    section: '4.3',
    breaks: ['V3-THINK-02'],
    changes: {
      answer: (answer, turn) =>
        turn.stream || answer.reasoning === undefined
          ? answer
          : { ...answer, text: `${answer.reasoning} ${answer.text}` },
    },
  },
  {
    name: 'reasoning is streamed without think for a list of items',
    section: '6',
    breaks: ['V3-SSE-24'],
    changes: runs(
      ({ body }) => Array.isArray(body['input']),
      () => ({ think: true }),
    ),
  },
  {
    name: 'one-shot streams reasoning without think',
    section: '6',
    breaks: ['V3-SSE-24'],
    changes: runs(streamed('one-shot'), () => ({ think: true })),
  },
  {
    name: 'one-shot leaves a chat in streams',
    section: '4.3',
    breaks: ['V3-ONE-09'],
    changes: { storesOneShot: ({ stream }) => stream },
  },
  {
    name: 'one-shot leaves a chat for a list of items',
    section: '4.3',
    breaks: ['V3-ONE-09'],
    changes: { storesOneShot: ({ body }) => Array.isArray(body['input']) },
  },
  {
    name: 'one-shot forgets runs in streams',
    section: '4.3',
    breaks: ['V3-ONE-05'],
    changes: ignores('runs', (call, body) => isOneShot(call) && isStream(body)),
  },
  {
    name: 'one-shot knows the first of its runs only',
    section: '4.3',
    breaks: ['V3-ONE-05'],
    changes: {
      reads: (call, body) =>
        isOneShot(call) && Array.isArray(body['runs'])
          ? { ...body, runs: asList(body['runs']).slice(0, 1) }
          : body,
    },
  },
  {
    name: 'one-shot knows the last of its runs only',
    section: '4.3',
    breaks: ['V3-ONE-05'],
    changes: {
      reads: (call, body) =>
        isOneShot(call) && Array.isArray(body['runs'])
          ? { ...body, runs: asList(body['runs']).slice(-1) }
          : body,
    },
  },
  {
    name: 'one-shot wants a key of the turn in streams',
    section: '4.3',
    breaks: ['V3-ONE-02', 'V3-ONE-03'],
    changes: refuses(
      (call, body) => isOneShot(call) && isStream(body) && !call.request.headers['idempotency-key'],
    ),
  },
  {
    name: 'one-shot refuses content in streams',
    section: '9',
    breaks: ['V3-ONE-04'],
    changes: refuses(
      (call, body) => isOneShot(call) && isStream(body) && body['content'] !== undefined,
    ),
  },
  {
    name: 'one-shot checks no types in streams',
    section: '4.3',
    breaks: ['V3-ONE-12'],
    changes: skips('types', (call, body) => isOneShot(call) && isStream(body)),
  },
  {
    name: 'one-shot searches the base in advance in streams',
    section: '4.4',
    breaks: ['RAG-06'],
    changes: runs(
      (turn) => streamed('one-shot')(turn) && turn.body['rag'] === undefined,
      () => ({ rag: true }),
    ),
  },
  {
    name: 'the final response of a stream has other usage names than the JSON',
    section: '4.3',
    breaks: ['V3-GEN-04', 'V3-GEN-03'],
    changes: {
      events: (events) =>
        events.map((event) => {
          const response = asJson(event.data['response'])
          if (asText(response['status']) !== 'completed') return event
          const usage = { tokens: 12 }
          return { ...event, data: { ...event.data, response: { ...response, usage } } }
        }),
    },
  },
]
