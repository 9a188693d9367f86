/** Faults of retrieval before an answer on v3 (section 4.4), and of assistants with a knowledge base. */
import { assistants } from '../../../answering/assistant-context.ts'
import { toObject } from '../../patches/json.ts'
import { rejectRequests } from '../../patches/requests.ts'
import { v3Generate } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'

const assistantWithoutBase = assistants.find(({ baseId }) => baseId === null)?.id
const assistantWithBase = assistants.find(({ baseId }) => baseId !== null)?.id

const rejectSearchType = (type: string) =>
  rejectRequests(v3Generate, ({ rag }) => toObject(rag)['search_type'] === type)
const rejectAssistant = (id: string | undefined) =>
  rejectRequests(v3Generate, ({ assistant_id }) => assistant_id === id, 404)

export const retrievalFaults = faultTable({
  'RAG-01': {
    'rag-on-ignored: rag: true is treated as rag: false.':
      'v3.generate: rag is ignored (rag: true)',
    'rag-on-ignored-in-streams: rag: true in a streaming request is treated as rag: false.':
      'v3.generate: rag is ignored (rag: true; stream: true)',
    'rag-on-ignored-in-json: rag: true in a non-streaming request is treated as rag: false.':
      'v3.generate: rag is ignored (rag: true; stream: not true)',
  },
  'RAG-02': {
    'rag-off-ignored: rag: false is treated as rag: true.':
      'v3.generate: rag is taken for true (rag: false)',
    'rag-off-ignored-in-streams: rag: false in a streaming request is treated as rag: true.':
      'v3.generate: rag is taken for true (rag: false; stream: true)',
    'rag-off-ignored-in-json: rag: false in a non-streaming request is treated as rag: true.':
      'v3.generate: rag is taken for true (rag: false; stream: not true)',
  },
  'RAG-03': {
    'rag-agent-searches: rag: agent is treated as rag: true.':
      'v3.generate: rag is taken for true (rag: agent)',
    'rag-agent-searches-in-streams: rag: agent in a streaming request is treated as rag: true.':
      'v3.generate: rag is taken for true (rag: agent; stream: true)',
    'rag-agent-searches-in-json: rag: agent in a non-streaming request is treated as rag: true.':
      'v3.generate: rag is taken for true (rag: agent; stream: not true)',
  },
  'RAG-04': {
    'rag-object-ignored: An object as rag is treated as rag: false.':
      'v3.generate: rag is ignored (rag: an object)',
    'rag-object-ignored-in-streams: An object as rag in a streaming request is treated as rag: false.':
      'v3.generate: rag is ignored (rag: an object; stream: true)',
    'rag-object-ignored-in-json: An object as rag in a non-streaming request is treated as rag: false.':
      'v3.generate: rag is ignored (rag: an object; stream: not true)',
    'rag-object-refused: A generation with an object as rag is rejected.':
      'v3.generate: the request is refused (rag: an object)',
    'rag-hybrid-refused: A generation with search_type hybrid is rejected.':
      rejectSearchType('hybrid'),
  },
  'RAG-05': {
    'rag-unasked: A missing rag is treated as rag: true.':
      'v3.generate: rag is taken for true (rag: not given)',
    'rag-unasked-in-streams: A missing rag in a streaming request is treated as rag: true.':
      'v3.generate: rag is taken for true (rag: not given; stream: true)',
    'rag-unasked-in-json: A missing rag in a non-streaming request is treated as rag: true.':
      'v3.generate: rag is taken for true (rag: not given; stream: not true)',
  },
  'RAG-07': {
    'rag-on-without-base-refused: A generation with rag: true and an assistant without a knowledge base is rejected.':
      rejectRequests(
        v3Generate,
        ({ rag, assistant_id: id }) => rag === true && id === assistantWithoutBase,
      ),
  },
  'RAG-08': {
    'rag-dense-refused: A generation with search_type dense is rejected.':
      rejectSearchType('dense'),
    'rag-sparse-refused: A generation with search_type sparse is rejected.':
      rejectSearchType('sparse'),
  },
  'V3-ASST-01': {
    'rag-assistant-with-a-base-unknown: A generation with an assistant with a knowledge base is rejected with 404.':
      rejectAssistant(assistantWithBase),
    'rag-assistant-without-a-base-unknown: A generation with an assistant without a knowledge base is rejected with 404.':
      rejectAssistant(assistantWithoutBase),
  },
})
