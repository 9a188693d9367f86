/** Faults of retrieval before an answer on v3 (section 4.4), and of assistants with a knowledge base. */

import type { RequirementId } from '../../../../contract/index.ts'
import { isObject } from '../../../../contract/json.ts'
import { assistants } from '../../../answering/assistant-context.ts'
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
    'rag: true in a streaming request',
    ({ rag, stream }) => rag === true && stream === true,
    false,
  ),
  misread(
    'on-ignored-in-json',
    'RAG-01',
    'rag: true in a non-streaming request',
    ({ rag, stream }) => rag === true && stream !== true,
    false,
  ),
  misread('off-ignored', 'RAG-02', 'rag: false', ({ rag }) => rag === false, true),
  misread('agent-searches', 'RAG-03', 'rag: agent', ({ rag }) => rag === 'agent', true),
  misread('object-ignored', 'RAG-04', 'An object as rag', ({ rag }) => isObject(rag), false),
  misread('unasked', 'RAG-05', 'A missing rag', ({ rag }) => rag === undefined, true),
  ...misreadInOneForm('off-ignored', 'RAG-02', 'rag: false', ({ rag }) => rag === false),
  ...misreadInOneForm('agent-searches', 'RAG-03', 'rag: agent', ({ rag }) => rag === 'agent'),
  ...misreadInOneForm('unasked', 'RAG-05', 'A missing rag', ({ rag }) => rag === undefined),
  rejected('object', 'an object as rag', 'RAG-04', ({ rag }) => isObject(rag)),
  rejected(
    'on-without-base',
    'rag: true and an assistant without a knowledge base',
    'RAG-07',
    ({ rag, assistant_id: id }) => rag === true && id === assistantWithoutBase,
  ),
  rejected(
    'hybrid',
    'search_type hybrid',
    'RAG-04',
    ({ rag }) => toObject(rag)['search_type'] === 'hybrid',
  ),
  rejected(
    'dense',
    'search_type dense',
    'RAG-08',
    ({ rag }) => toObject(rag)['search_type'] === 'dense',
  ),
  rejected(
    'sparse',
    'search_type sparse',
    'RAG-08',
    ({ rag }) => toObject(rag)['search_type'] === 'sparse',
  ),
  unknownAssistant('with-a-base', 'with a knowledge base', assistantWithBase),
  unknownAssistant('without-a-base', 'without a knowledge base', assistantWithoutBase),
  ...(['streams', 'json'] as const).map(
    (form): Fault => ({
      name: `rag-object-ignored-in-${form}`,
      summary: `An object as rag in a ${form === 'json' ? 'non-streaming' : 'streaming'} request is treated as rag: false.`,
      breaks: ['RAG-04'],
      patch: onRequestBody(v3Generate, (body) => {
        const streams = body['stream'] === true
        const ignored = isObject(body['rag']) && streams === (form === 'streams')
        return ignored ? { ...body, rag: false } : body
      }),
    }),
  ),
]

/** Treats the rag of a chat generation as another value under a condition. */
function misread(
  name: string,
  requirement: RequirementId,
  what: string,
  when: (body: Json) => boolean,
  rag: boolean,
): Fault {
  return {
    name: `rag-${name}`,
    summary: `${what} is treated as rag: ${rag}.`,
    breaks: [requirement],
    patch: onRequestBody(v3Generate, (body) => (when(body) ? { ...body, rag } : body)),
  }
}

/** Unrequested searches, once in streams and once in non-streaming responses. */
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
      `${what} in a streaming request`,
      (body) => when(body) && body['stream'] === true,
      true,
    ),
    misread(
      `${name}-in-json`,
      requirement,
      `${what} in a non-streaming request`,
      (body) => when(body) && body['stream'] !== true,
      true,
    ),
  ]
}

function rejected(
  name: string,
  what: string,
  requirement: RequirementId,
  when: (body: Json) => boolean,
): Fault {
  return {
    name: `rag-${name}-refused`,
    summary: `A generation with ${what} is rejected.`,
    breaks: [requirement],
    patch: rejectRequests(v3Generate, when),
  }
}

function unknownAssistant(name: string, what: string, assistant: string | undefined): Fault {
  return {
    name: `rag-assistant-${name}-unknown`,
    summary: `A generation with an assistant ${what} is rejected with 404.`,
    breaks: ['V3-ASST-01'],
    patch: rejectRequests(v3Generate, ({ assistant_id: id }) => id === assistant, 404),
  }
}
