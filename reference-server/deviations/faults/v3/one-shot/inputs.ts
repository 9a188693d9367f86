/** Faults of the input and forms of one-shots (section 4.3). */
import { isUuid } from '../../../../../contract/json.ts'
import type { Patch } from '../../../../services.ts'
import { isPresent, isText, type Json, toObject } from '../../../patches/json.ts'
import { alsoDo } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { oneShot } from '../../../patches/routes.ts'
import { perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'
import { wrongTypeFaults } from '../../wrong-types.ts'

export const oneShotTypeFaults = wrongTypeFaults(oneShot, 'V3-ONE-12', 'one-shot', 'A one-shot', {
  base: ['kb_id', isText],
})

export const oneShotInputFaults = faultTable({
  'V3-ONE-04': {
    'one-shot-content-refused: A one-shot with content instead of input is rejected.':
      'v3.oneShot: the request is refused (content: given)',
    'one-shot-content-ignored: A one-shot ignores the text of content.': onRequestBody(
      oneShot,
      (body) => (isText(body['content']) ? { ...body, content: 'Hello.' } : body),
    ),
  },
  'V3-ONE-05': {
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
    'one-shot-searcher-without-base-refused: assistant_id: searcher is rejected without kb_id.':
      rejectSearcher(({ kb_id: id }) => !isPresent(id)),
    'one-shot-searcher-with-base-refused: assistant_id: searcher is rejected with kb_id.':
      rejectSearcher(({ kb_id: id }) => isPresent(id)),
  },
  'V3-ONE-08': {
    'one-shot-assistant-refused: A one-shot with the UUID of an assistant is rejected.': {
      also: ['RAG-07'],
      patch: rejectRequests(oneShot, ({ assistant_id: id }) => isUuid(id)),
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
  'RAG-06': {
    'one-shot-searches-by-default: rag defaults to true instead of agent in a one-shot.':
      'v3.oneShot: rag is taken for true (rag: not given)',
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
    'V3-ONE-04': {
      'one-shot-streams-without-content: A streaming one-shot with content instead of input is rejected.':
        'v3.oneShot: the request is refused (content: given; stream: true)',
    },
    'V3-ONE-09': {
      'one-shot-streams-store-a-chat: A streaming one-shot is stored as a chat.': alsoDo(
        oneShot,
        ({ store, ids, clock }, { body, caller }, { status }) => {
          const request = toObject(body)
          if (status >= 300 || !isStream(request)) return undefined
          const now = clock.now()
          return store.chats.create({
            ...{ id: ids.uuid(), owner: caller, name: JSON.stringify(request['input'] ?? '') },
            ...{ version: 'v3', favorite: false, createdAt: now, updatedAt: now },
          })
        },
      ),
    },
    'RAG-06': {
      'one-shot-streams-search-by-default: rag defaults to true instead of agent in a streaming one-shot.':
        'v3.oneShot: rag is taken for true (rag: not given; stream: true)',
    },
  }),
]
