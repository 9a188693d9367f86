/**
 * Faults of a rag object: taken in one form alone, or without its limit (section 4.4). That another
 * member is ignored does not show: how each changes a search is not stated, and the same may be found.
 */
import { put } from '../json-edit.ts'
import { isObject } from '../native.ts'
import { generation, onSent } from '../seams.ts'
import type { Fault } from '../types.ts'
import { fault } from './fault.ts'

export const ragMemberFaults: readonly Fault[] = [
  ...(['streams', 'json'] as const).map((form) =>
    fault(
      `rag-object-ignored-in-${form}`,
      'RAG-04',
      `An object in rag is taken for rag: false ${form === 'json' ? 'without' : 'in'} a stream.`,
      onSent(generation, (body) => {
        const streams = body['stream'] === true
        const ignored = isObject(body['rag']) && streams === (form === 'streams')
        return ignored ? { ...body, rag: false } : body
      }),
    ),
  ),
  fault(
    'rag-limit-ignored',
    'RAG-04',
    'The limit of a rag object changes nothing.',
    onSent(generation, (body) => put(body, 'rag.limit', undefined)),
  ),
]
