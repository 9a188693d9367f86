/**
 * Faults of a rag object that is taken in one form alone (section 4.4). That a member of it is ignored
 * does not show: how each changes a search is not stated, and the same may be found.
 */
import { isObject } from '../../native.ts'
import { v3Generate, onRequestBody } from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

export const ragMemberFaults: readonly Fault[] = [
  ...(['streams', 'json'] as const).map((form) =>
    fault(
      `rag-object-ignored-in-${form}`,
      'RAG-04',
      `An object in rag is taken for rag: false ${form === 'json' ? 'without' : 'in'} a stream.`,
      onRequestBody(v3Generate, (body) => {
        const streams = body['stream'] === true
        const ignored = isObject(body['rag']) && streams === (form === 'streams')
        return ignored ? { ...body, rag: false } : body
      }),
    ),
  ),
]
