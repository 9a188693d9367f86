import { asJson, asList, isText } from '../json.ts'
import { isCompletion, isGenerate, isOneShot, refuses, type Violation } from './violation.ts'

const isV2Message = ({ route }: { readonly route: string }) => route.endsWith('/v2/message')

/** Values that the document allows, refused. */
export const refusals: readonly Violation[] = [
  {
    name: 'a list of stop sequences is refused',
    section: '4.1',
    breaks: ['OAI-STOP-02'],
    changes: refuses((call, body) => isCompletion(call) && Array.isArray(body['stop'])),
  },
  {
    name: 'a stop sequence as text is refused',
    section: '4.1',
    breaks: ['OAI-STOP-01'],
    changes: refuses((call, body) => isCompletion(call) && isText(body['stop'])),
  },
  {
    name: 'temperature 2 is refused',
    section: '8',
    breaks: ['OAI-TEMP-01'],
    changes: refuses((call, body) => isCompletion(call) && body['temperature'] === 2),
  },
  {
    name: 'temperatures between the whole numbers are refused',
    section: '8',
    breaks: ['OAI-TEMP-01'],
    changes: refuses(
      (call, body) =>
        isCompletion(call) &&
        typeof body['temperature'] === 'number' &&
        !Number.isInteger(body['temperature']),
    ),
  },
  {
    name: 'rag: agent is refused in generations',
    section: '4.4',
    breaks: ['RAG-03'],
    changes: refuses((call, body) => isGenerate(call) && body['rag'] === 'agent'),
  },
  {
    name: 'rag: agent is refused in one-shot',
    section: '4.4',
    breaks: ['RAG-06', 'RAG-03'],
    changes: refuses((call, body) => isOneShot(call) && body['rag'] === 'agent'),
  },
  {
    name: 'rag: false is refused in generations',
    section: '4.4',
    breaks: ['RAG-02'],
    changes: refuses((call, body) => isGenerate(call) && body['rag'] === false),
  },
  {
    name: 'rag as an object is refused in one-shot',
    section: '4.3',
    breaks: ['RAG-04', 'RAG-08'],
    changes: refuses(
      (call, body) => isOneShot(call) && Object.keys(asJson(body['rag'])).length > 0,
    ),
  },
  {
    name: 'rag: false is refused in one-shot',
    section: '4.3',
    breaks: ['RAG-02', 'RAG-06'],
    changes: refuses((call, body) => isOneShot(call) && body['rag'] === false),
  },
  {
    name: 'rag: agent is refused on v2',
    section: '4.2',
    breaks: ['V2-MSG-13'],
    changes: refuses((call, body) => isV2Message(call) && body['rag'] === 'agent'),
  },
  {
    name: 'the search type dense is refused',
    section: '4.4',
    breaks: ['RAG-08'],
    changes: refuses((_, body) => asJson(body['rag'])['search_type'] === 'dense'),
  },
  {
    name: 'an assistant_id that is a name is refused on v2',
    section: '4.2',
    breaks: ['V2-MSG-10'],
    changes: refuses(
      (call, body) =>
        isV2Message(call) &&
        isText(body['assistant_id']) &&
        !/^[0-9a-f-]{36}$/i.test(body['assistant_id']),
    ),
  },
  {
    name: 'think: false is refused on v2',
    section: '4.2',
    breaks: ['V2-MSG-12'],
    changes: refuses((call, body) => isV2Message(call) && body['think'] === false),
  },
  {
    name: 'exclude_tools is refused on v2',
    section: '4.2',
    breaks: ['V2-GEN-04'],
    changes: refuses(
      (call, body) =>
        call.route.endsWith('/v2/message/generate') &&
        body['exclude_tools'] !== undefined &&
        body['include_tools'] === undefined,
    ),
  },
  {
    name: 'messages of a developer are refused',
    section: '2.6',
    breaks: ['V3-GEN-06'],
    changes: refuses(
      (call, body) =>
        isGenerate(call) &&
        asList(body['input']).some((item) => asJson(item)['role'] === 'developer'),
    ),
  },
  {
    name: 'messages of the system are refused in an input',
    section: '2.6',
    breaks: ['V3-GEN-06'],
    changes: refuses(
      (call, body) =>
        isGenerate(call) && asList(body['input']).some((item) => asJson(item)['role'] === 'system'),
    ),
  },
  {
    name: 'a key of the turn must be a UUID',
    section: '4.3',
    breaks: ['V3-IDEM-06'],
    changes: refuses((call) => {
      const key = call.request.headers['idempotency-key']
      return isGenerate(call) && isText(key) && !/^[0-9a-f-]{36}$/i.test(key)
    }),
  },
  {
    name: 'searcher without a base is refused',
    section: '4.3',
    breaks: ['V3-ONE-07'],
    changes: refuses(
      (call, body) =>
        isOneShot(call) && body['assistant_id'] === 'searcher' && body['kb_id'] === undefined,
    ),
  },
  {
    name: 'presence_penalty is refused in generations',
    section: '4.3',
    breaks: ['V3-GEN-09'],
    changes: refuses((call, body) => isGenerate(call) && body['presence_penalty'] !== undefined),
  },
]
