/** Faults of the input and forms of one-shots (section 4.3). */
import { isObject, isUuid } from '../../../../../contract/json.ts'
import type { Patch } from '../../../../services.ts'
import {
  isBoolean,
  isNumber,
  isPresent,
  isText,
  type Json,
  toObject,
} from '../../../patches/json.ts'
import { alsoDo } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { mainAlias, mainModel, oneShot, visionModel } from '../../../patches/routes.ts'
import { perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'
import { member, wrongTypeFaults } from '../../wrong-types.ts'

export const oneShotTypeFaults = wrongTypeFaults(oneShot, 'V3-ONE-12', 'one-shot', 'A one-shot', {
  model: ['model_id', isText, mainModel],
  input: ['input', (input) => !isObject(input), member('text')],
  runs: ['runs', Array.isArray],
  stream: ['stream', isBoolean],
  assistant: ['assistant_id', (id) => !isObject(id)],
  base: ['kb_id', isText],
  rag: ['rag', (rag) => !isNumber(rag)],
})

export const oneShotInputFaults = faultTable({
  'V3-ONE-04': {
    'one-shot-content-refused: A one-shot with content instead of input is rejected.':
      rejectRequests(oneShot, ({ input }) => !isPresent(input)),
    'one-shot-content-ignored: A one-shot ignores the text of content.': onRequestBody(
      oneShot,
      (body) => (isText(body['content']) ? { ...body, content: 'Hello.' } : body),
    ),
  },
  'V3-ONE-05': {
    'one-shot-runs-refused: A one-shot with runs is rejected.': rejectRequests(
      oneShot,
      ({ runs }) => Array.isArray(runs),
    ),
    'one-shot-runs-ignored: A one-shot ignores runs.': editRuns(() => []),
    'one-shot-runs-last-alone: A one-shot uses only the last of its runs.': editRuns((all) =>
      all.slice(-1),
    ),
    'one-shot-runs-input-alone: A one-shot ignores the output of its runs.': editRuns((all) =>
      all.map(({ output: _, ...run }) => run),
    ),
  },
  'V3-ONE-06': {
    'one-shot-null-refused: A one-shot with assistant_id: null is rejected.': rejectRequests(
      oneShot,
      ({ assistant_id: id }) => id === null,
    ),
  },
  'V3-ONE-07': {
    'one-shot-searcher-finds-nothing: assistant_id: searcher is treated as null.': onRequestBody(
      oneShot,
      (body) => (body['assistant_id'] === 'searcher' ? { ...body, assistant_id: null } : body),
    ),
    'one-shot-searcher-unknown: assistant_id: searcher is rejected.': rejectSearcher(() => true),
    'one-shot-searcher-without-base-refused: assistant_id: searcher is rejected without kb_id.':
      rejectSearcher(({ kb_id: id }) => !isPresent(id)),
    'one-shot-searcher-with-base-refused: assistant_id: searcher is rejected with kb_id.':
      rejectSearcher(({ kb_id: id }) => isPresent(id)),
  },
  'V3-ONE-08': {
    'one-shot-assistant-refused: A one-shot with the UUID of an assistant is rejected.':
      rejectRequests(oneShot, ({ assistant_id: id }) => isUuid(id)),
  },
  'V3-ONE-10': {
    'one-shot-items-refused: A one-shot with an array as input is rejected.': {
      only: { input: ['items'] },
      patch: rejectRequests(oneShot, ({ input }) => Array.isArray(input)),
    },
  },
  'V3-ONE-11': {
    'one-shot-remembers: The inputs of previous one-shots are passed to the model.': perServer(
      () => {
        const earlierInputs: unknown[] = []
        return onRequestBody(oneShot, (body) => {
          const before = earlierInputs.map((input, at) => ({ id: `run-${at}`, input }))
          if (isText(body['input'])) earlierInputs.push(body['input'])
          return isPresent(body['runs']) ? body : { ...body, runs: before }
        })
      },
    ),
  },
  'V3-MODEL-01': {
    'one-shot-alias-unknown: A one-shot with the model id SVC-Main is rejected with 404.':
      rejectRequests(oneShot, ({ model_id: id }) => id === mainAlias, 404),
  },
  'V3-MODEL-02': {
    'one-shot-vision-unknown: A one-shot with the model id SVC-Vision is rejected with 404.':
      rejectRequests(oneShot, ({ model_id: id }) => id === visionModel, 404),
  },
  'RAG-06': {
    'one-shot-searches-by-default: rag defaults to true instead of agent in a one-shot.':
      onRequestBody(oneShot, (body) => ({ rag: true, ...body })),
  },
})

function editRuns(change: (runs: readonly Json[]) => unknown): Patch {
  const changed = (value: unknown) => (Array.isArray(value) ? change(value) : value)
  return onRequestBody(oneShot, (body) =>
    'runs' in body ? { ...body, runs: changed(body['runs']) } : body,
  )
}

function rejectSearcher(when: (body: Json) => boolean): Patch {
  return rejectRequests(oneShot, (body) => body['assistant_id'] === 'searcher' && when(body))
}

const isStream = ({ stream }: Json) => stream === true

export const oneShotFormFaults: readonly Fault[] = [
  ...faultTable({
    'V3-ONE-05': {
      'one-shot-streams-without-runs: A streaming one-shot ignores runs.': {
        only: { form: ['stream'] },
        patch: inStreams((body) => (Array.isArray(body['runs']) ? { ...body, runs: [] } : body)),
      },
    },
    'V3-ONE-04': {
      'one-shot-streams-without-content: A streaming one-shot with content instead of input is rejected.':
        {
          only: { form: ['stream'] },
          patch: rejectRequests(
            oneShot,
            (body) =>
              isStream(body) && body['content'] !== undefined && body['input'] === undefined,
          ),
        },
    },
    'V3-ONE-09': {
      'one-shot-streams-store-a-chat: A streaming one-shot is stored as a chat.': {
        only: { form: ['stream'] },
        patch: alsoDo(oneShot, ({ store, ids, clock }, { body, caller }, { status }) => {
          const request = toObject(body)
          if (status >= 300 || !isStream(request)) return undefined
          const now = clock.now()
          return store.chats.create({
            ...{ id: ids.uuid(), owner: caller, name: JSON.stringify(request['input'] ?? '') },
            ...{ version: 'v3', favorite: false, createdAt: now, updatedAt: now },
          })
        }),
      },
    },
    'V3-ONE-12': {
      'one-shot-streams-of-any-type: A streaming one-shot with rag of the wrong type is accepted.':
        {
          only: { form: ['stream'] },
          patch: inStreams((body) =>
            typeof body['rag'] === 'number' ? { ...body, rag: false } : body,
          ),
        },
    },
    'RAG-06': {
      'one-shot-streams-search-by-default: rag defaults to true instead of agent in a streaming one-shot.':
        { only: { form: ['stream'] }, patch: inStreams((body) => ({ rag: true, ...body })) },
    },
  }),
  refusesRag('off', 'rag: false', 'RAG-02', (rag) => rag === false),
  refusesRag('agent', 'rag: agent', 'RAG-03', (rag) => rag === 'agent'),
  refusesRag('object', 'an object as rag', 'RAG-04', (rag) => isObject(rag)),
]

function inStreams(change: (body: Json) => Json) {
  return onRequestBody(oneShot, (body) => (isStream(body) ? change(body) : body))
}

function refusesRag(
  name: string,
  value: string,
  requirement: 'RAG-02' | 'RAG-03' | 'RAG-04',
  is: (rag: unknown) => boolean,
): Fault {
  return {
    name: `one-shot-rag-${name}-refused`,
    summary: `A one-shot with ${value} is rejected.`,
    breaks: [requirement],
    patch: rejectRequests(oneShot, ({ rag }) => is(rag)),
  }
}
