/** Faults of a one-shot that show in one form of a request only, or in one value of rag (section 4.3). */
import { isObject } from '../../../../../contract/json.ts'
import { type Json, toObject } from '../../../patches/json.ts'
import { alsoDo } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { oneShot } from '../../../patches/routes.ts'
import type { Fault } from '../../../types.ts'

const isStream = ({ stream }: Json) => stream === true

export const oneShotFormFaults: readonly Fault[] = [
  {
    name: 'one-shot-streams-without-runs',
    only: { form: ['stream'] },
    summary: 'A streamed one-shot does not look at runs.',
    breaks: ['V3-ONE-05'],
    patch: inStreams((body) => (Array.isArray(body['runs']) ? { ...body, runs: [] } : body)),
  },
  {
    name: 'one-shot-streams-without-content',
    only: { form: ['stream'] },
    summary: 'A streamed one-shot refuses content in place of input.',
    breaks: ['V3-ONE-04'],
    patch: rejectRequests(
      oneShot,
      (body) => isStream(body) && body['content'] !== undefined && body['input'] === undefined,
    ),
  },
  {
    name: 'one-shot-streams-store-a-chat',
    only: { form: ['stream'] },
    summary: 'A streamed one-shot leaves a chat behind.',
    breaks: ['V3-ONE-09'],
    patch: alsoDo(oneShot, ({ store, ids, clock }, { body, caller }, { status }) => {
      const asked = toObject(body)
      if (status >= 300 || !isStream(asked)) return undefined
      const now = clock.now()
      return store.chats.create({
        ...{ id: ids.uuid(), owner: caller, name: JSON.stringify(asked['input'] ?? '') },
        ...{ version: 'v3', favorite: false, createdAt: now, updatedAt: now },
      })
    }),
  },
  {
    name: 'one-shot-streams-of-any-type',
    only: { form: ['stream'] },
    summary: 'A streamed one-shot takes a rag of any type.',
    breaks: ['V3-ONE-12'],
    patch: inStreams((body) => (typeof body['rag'] === 'number' ? { ...body, rag: false } : body)),
  },
  {
    name: 'one-shot-streams-search-by-default',
    only: { form: ['stream'] },
    summary: 'A streamed one-shot without rag is answered as with rag: true.',
    breaks: ['RAG-06'],
    patch: inStreams((body) => ({ rag: true, ...body })),
  },
  refusesRag('off', 'RAG-02', (rag) => rag === false),
  refusesRag('agent', 'RAG-03', (rag) => rag === 'agent'),
  refusesRag('object', 'RAG-04', (rag) => isObject(rag)),
]

function inStreams(change: (body: Json) => Json) {
  return onRequestBody(oneShot, (body) => (isStream(body) ? change(body) : body))
}

function refusesRag(
  name: string,
  row: 'RAG-02' | 'RAG-03' | 'RAG-04',
  is: (rag: unknown) => boolean,
): Fault {
  return {
    name: `one-shot-rag-${name}-refused`,
    summary: `A one-shot with this rag is refused: ${name}.`,
    breaks: [row],
    patch: rejectRequests(oneShot, ({ rag }) => is(rag)),
  }
}
