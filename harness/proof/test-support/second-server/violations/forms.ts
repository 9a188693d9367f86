import { asJson, asText } from '../json.ts'
import {
  isCompletion,
  isGenerate,
  isOneShot,
  isStream,
  runs,
  skips,
  streamed,
  type Violation,
} from './violation.ts'

/** Clauses that are broken in one form of a request only. */
export const forms: readonly Violation[] = [
  {
    name: 'completions check no types in streams',
    section: '7',
    breaks: ['OAI-ERR-02', 'OAI-TEMP-02'],
    changes: skips('types', (call, body) => isCompletion(call) && isStream(body)),
  },
  {
    name: 'generations check no types in streams',
    section: '4.3',
    breaks: ['V3-GEN-17'],
    changes: skips('types', (call, body) => isGenerate(call) && isStream(body)),
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
