/** Faults of retrieval before an answer on v3 (section 4.4), and of the assistants that it is for. */

import type { RequirementId } from '../../../../contract/index.ts'
import { isObject } from '../../../../contract/json.ts'
import { assistants } from '../../../answering/assistants.ts'
import { type Json, toObject } from '../../patches/json.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { v3Generate } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'

const assistantWithoutBase = assistants.find(({ baseId }) => baseId === null)?.id
const assistantWithBase = assistants.find(({ baseId }) => baseId !== null)?.id

export const retrievalFaults: readonly Fault[] = [
  misread('on-ignored', 'RAG-01', 'rag: true', ({ rag }) => rag === true, false),
  misread(
    'on-ignored-in-streams',
    'RAG-01',
    'rag: true of a stream',
    ({ rag, stream }) => rag === true && stream === true,
    false,
  ),
  misread(
    'on-ignored-in-json',
    'RAG-01',
    'rag: true without a stream',
    ({ rag, stream }) => rag === true && stream !== true,
    false,
  ),
  misread('off-ignored', 'RAG-02', 'rag: false', ({ rag }) => rag === false, true),
  misread('agent-searches', 'RAG-03', 'rag: agent', ({ rag }) => rag === 'agent', true),
  misread('object-ignored', 'RAG-04', 'An object in rag', ({ rag }) => isObject(rag), false),
  misread('unasked', 'RAG-05', 'No rag at all', ({ rag }) => rag === undefined, true),
  ...misreadInOneForm('off-ignored', 'RAG-02', 'rag: false', ({ rag }) => rag === false),
  ...misreadInOneForm('agent-searches', 'RAG-03', 'rag: agent', ({ rag }) => rag === 'agent'),
  ...misreadInOneForm('unasked', 'RAG-05', 'No rag at all', ({ rag }) => rag === undefined),
  rejected('object', 'RAG-04', ({ rag }) => isObject(rag)),
  rejected(
    'on-without-base',
    'RAG-07',
    ({ rag, assistant_id: id }) => rag === true && id === assistantWithoutBase,
  ),
  rejected('hybrid', 'RAG-04', ({ rag }) => toObject(rag)['search_type'] === 'hybrid'),
  rejected('dense', 'RAG-08', ({ rag }) => toObject(rag)['search_type'] === 'dense'),
  rejected('sparse', 'RAG-08', ({ rag }) => toObject(rag)['search_type'] === 'sparse'),
  unknownAssistant('with-a-base', assistantWithBase),
  unknownAssistant('without-a-base', assistantWithoutBase),
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
function misread(
  name: string,
  requirement: RequirementId,
  what: string,
  when: (body: Json) => boolean,
  rag: boolean,
): Fault {
  return {
    name: `rag-${name}`,
    summary: `${what} is taken for rag: ${rag}.`,
    breaks: [requirement],
    patch: onRequestBody(v3Generate, (body) => (when(body) ? { ...body, rag } : body)),
  }
}

/** Searches that nobody wanted, in streams alone and in all else. */
function misreadInOneForm(
  name: string,
  requirement: RequirementId,
  what: string,
  when: (body: Json) => boolean,
): readonly Fault[] {
  return [
    misread(
      `${name}-in-streams`,
      requirement,
      `${what} in a stream`,
      (body) => when(body) && body['stream'] === true,
      true,
    ),
    misread(
      `${name}-in-json`,
      requirement,
      `${what} without a stream`,
      (body) => when(body) && body['stream'] !== true,
      true,
    ),
  ]
}

function rejected(name: string, requirement: RequirementId, when: (body: Json) => boolean): Fault {
  return {
    name: `rag-${name}-refused`,
    summary: `A generation with this rag is refused: ${name.replaceAll('-', ' ')}.`,
    breaks: [requirement],
    patch: rejectRequests(v3Generate, when),
  }
}

function unknownAssistant(name: string, assistant: string | undefined): Fault {
  return {
    name: `rag-assistant-${name}-unknown`,
    summary: `An assistant of the catalog ${name.replaceAll('-', ' ')} is unknown to chat generation.`,
    breaks: ['V3-ASST-01'],
    patch: rejectRequests(v3Generate, ({ assistant_id: id }) => id === assistant, 404),
  }
}
