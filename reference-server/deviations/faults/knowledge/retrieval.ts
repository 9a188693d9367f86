/** Faults of retrieval before an answer on v3 (section 4.4), and of the assistants that it is for. */

import type { RequirementId } from '../../../../contract/index.ts'
import { assistants } from '../../../answering/assistants.ts'
import { isObject, type Json, toObject } from '../../patches/json.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { v3Generate } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'

const withoutBase = assistants.find(({ baseId }) => baseId === null)?.id
const withBase = assistants.find(({ baseId }) => baseId !== null)?.id

export const retrievalFaults: readonly Fault[] = [
  taken('on-ignored', 'RAG-01', 'rag: true', ({ rag }) => rag === true, false),
  taken(
    'on-ignored-in-streams',
    'RAG-01',
    'rag: true of a stream',
    ({ rag, stream }) => rag === true && stream === true,
    false,
  ),
  taken(
    'on-ignored-in-json',
    'RAG-01',
    'rag: true without a stream',
    ({ rag, stream }) => rag === true && stream !== true,
    false,
  ),
  taken('off-ignored', 'RAG-02', 'rag: false', ({ rag }) => rag === false, true),
  taken('agent-searches', 'RAG-03', 'rag: agent', ({ rag }) => rag === 'agent', true),
  taken('object-ignored', 'RAG-04', 'An object in rag', ({ rag }) => isObject(rag), false),
  taken('unasked', 'RAG-05', 'No rag at all', ({ rag }) => rag === undefined, true),
  ...inOneForm('off-ignored', 'RAG-02', 'rag: false', ({ rag }) => rag === false),
  ...inOneForm('agent-searches', 'RAG-03', 'rag: agent', ({ rag }) => rag === 'agent'),
  ...inOneForm('unasked', 'RAG-05', 'No rag at all', ({ rag }) => rag === undefined),
  refused('object', 'RAG-04', ({ rag }) => isObject(rag)),
  refused(
    'on-without-base',
    'RAG-07',
    ({ rag, assistant_id: id }) => rag === true && id === withoutBase,
  ),
  refused('hybrid', 'RAG-04', ({ rag }) => toObject(rag)['search_type'] === 'hybrid'),
  refused('dense', 'RAG-08', ({ rag }) => toObject(rag)['search_type'] === 'dense'),
  refused('sparse', 'RAG-08', ({ rag }) => toObject(rag)['search_type'] === 'sparse'),
  unknown('with-a-base', withBase),
  unknown('without-a-base', withoutBase),
  ...(['streams', 'json'] as const).map(
    (form): Fault => ({
      name: `rag-object-ignored-in-${form}`,
      summary: `An object in rag is taken for rag: false ${form === 'json' ? 'without' : 'in'} a stream.`,
      breaks: ['RAG-04'],
      patch: onRequestBody(v3Generate, (body) => {
        const streams = body['stream'] === true
        const ignored = isObject(body['rag']) && streams === (form === 'streams')
        return ignored ? { ...body, rag: false } : body
      }),
    }),
  ),
]

/** Under a condition, the rag of a chat generation is taken for another value. */
function taken(
  name: string,
  row: RequirementId,
  what: string,
  when: (body: Json) => boolean,
  rag: boolean,
): Fault {
  return {
    name: `rag-${name}`,
    summary: `${what} is taken for rag: ${rag}.`,
    breaks: [row],
    patch: onRequestBody(v3Generate, (body) => (when(body) ? { ...body, rag } : body)),
  }
}

/** Searches that nobody wanted, in streams alone and in all else. */
function inOneForm(
  name: string,
  row: RequirementId,
  what: string,
  when: (body: Json) => boolean,
): readonly Fault[] {
  return [
    taken(
      `${name}-in-streams`,
      row,
      `${what} in a stream`,
      (body) => when(body) && body['stream'] === true,
      true,
    ),
    taken(
      `${name}-in-json`,
      row,
      `${what} without a stream`,
      (body) => when(body) && body['stream'] !== true,
      true,
    ),
  ]
}

function refused(name: string, row: RequirementId, when: (body: Json) => boolean): Fault {
  return {
    name: `rag-${name}-refused`,
    summary: `A generation with this rag is refused: ${name.replaceAll('-', ' ')}.`,
    breaks: [row],
    patch: rejectRequests(v3Generate, when),
  }
}

function unknown(name: string, assistant: string | undefined): Fault {
  return {
    name: `rag-assistant-${name}-unknown`,
    summary: `An assistant of the catalog ${name.replaceAll('-', ' ')} is unknown to chat generation.`,
    breaks: ['V3-ASST-01'],
    patch: rejectRequests(v3Generate, ({ assistant_id: id }) => id === assistant, 404),
  }
}
