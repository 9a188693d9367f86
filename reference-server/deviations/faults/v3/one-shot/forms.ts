/** Faults of one-shots in streams only, or for one value of rag (section 4.3). */
import { isObject } from '../../../../../contract/json.ts'
import { type Json, toObject } from '../../../patches/json.ts'
import { alsoDo } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { oneShot } from '../../../patches/routes.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

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
