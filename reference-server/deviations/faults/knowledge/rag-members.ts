/**
 * Faults of a rag object that is taken in one form alone (section 4.4). That a member of it is ignored
 * does not show: how each changes a search is not stated, and the same may be found.
 */
import { isObject } from '../../patches/json.ts'
import { onRequestBody } from '../../patches/requests.ts'
import { v3Generate } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'

export const ragMemberFaults: readonly Fault[] = [
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
