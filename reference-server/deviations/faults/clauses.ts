/** Effects of the grammar under conditions, by operation and by broken requirement. */
import type { RequirementId } from '../../../contract/index.ts'
import type { FaultyOperation } from '../grammar/schemas.ts'

export type ByOperation<T> = { readonly [Id in FaultyOperation]?: T }
export type Clauses = Partial<Record<RequirementId, readonly string[]>>

export const clauses: ByOperation<Clauses> = {
  'openai.models': {
    'OAI-MODELS-01': [
      'the list is empty (occurrence: every second)',
      'the request ends with 500 (occurrence: every second)',
      'the list is empty',
      'the last row is lost',
      'the first row is lost',
    ],
  },
  'openai.chat': {
    'OAI-CHAT-13': ['of earlier turns only the first line is read', 'earlier turns are not read'],
    'OAI-MAXTOK-01': ['max_tokens is ignored', 'max_tokens is ignored (stream: true)'],
    'OAI-STOP-05': [
      'stop is ignored (stop: a list; stream: true)',
      'stop is ignored (stop: a text; stream: true)',
    ],
    'OAI-STOP-02': [
      'only the first element counts of stop',
      'stop is ignored (stop: a list; stream: not true)',
    ],
    'OAI-STREAM-01': [
      'a stream is answered with one JSON body',
      'a stream is answered with one JSON body (max_tokens: of 1)',
    ],
    'OAI-STREAM-02': ['a stream has the media type of JSON'],
    'OAI-STREAM-03': ['fragments of text are numbers'],
    'OAI-STREAM-11': ['a stream arrives in one piece'],
    'OAI-CHAT-01': ['one JSON body is answered with a stream (stream: not given)'],
    'OAI-STOP-01': ['stop is ignored (stop: a text; stream: not true)'],
  },
  'v2.message': {
    'V2-MSG-04': ['model_id is that of the first answer'],
    'V2-MSG-08': ['a missing content is accepted', 'a missing model_id is accepted'],
    'V2-MSG-06': [
      'content is shown with ? for what is beyond the BMP',
      'content is shown with decoded escapes',
      'content comes back as a number',
    ],
    'V2-MSG-07': ['created_at is in local time'],
    'V2-RAG-01': ['rag is ignored (rag: true)'],
    'V2-RAG-02': ['rag is taken for true (rag: false)', 'rag is taken for true (rag: not given)'],
    'V2-RAG-03': ['rag is taken for true (rag: agent)'],
  },
  'v2.generate': {
    'V2-CTX-01': ['earlier turns are not read'],
    'V2-GEN-02': ['a missing model_id is accepted'],
    'V2-GEN-03': ['both tool lists are accepted'],
    'V2-CTX-02': ['turns of another chat are read'],
    'V2-GEN-04': ['exclude_tools is ignored'],
  },
  'v3.createChat': {
    'V3-CHAT-02': [
      'name is stored in upper case',
      'name is stored with ? for what is not ASCII',
      'name is stored with decoded escapes',
    ],
  },
  'v3.updateChat': {
    'V3-CHAT-10': ['name is stored with ? for what is not ASCII'],
  },
  'v3.chats': {
    'V3-CHAT-05': ['the list is empty'],
    'V3-CHAT-06': [
      'search is ignored',
      'the list is empty (search: given)',
      'the list is empty (search: beyond ASCII)',
    ],
    'V3-CHAT-07': [
      'limit is ignored',
      'a page has one row more than limit',
      'a limit is taken for 50',
    ],
    'V3-CHAT-08': [
      'the cursor of the next page is lost',
      'cursor is ignored',
      'the last row is lost (limit: above 10)',
      'the first row is lost (cursor: given; limit: above 20)',
    ],
    'V3-CHAT-09': [
      'exclude_favorites is ignored (search: given)',
      'exclude_favorites is ignored',
      'the list is empty (exclude_favorites: given)',
    ],
  },
  'v3.generate': {
    'V3-HIST-16': ['the turn is stored in another chat as well (stream: true)'],
    'V3-HIST-07': [
      'only the last element counts of input',
      'only the first element counts of input',
      'the turn is not stored (stream: true)',
      'the turn is not stored (model name: alias)',
      'the turn is not stored (occurrence: after a rename)',
      'the turn is not stored (occurrence: after a refusal)',
      'the turn is not stored (occurrence: after a favorite)',
      'the input is not stored (input: with input_image)',
      'the answer is not stored (occurrence: third or later)',
    ],
    'V3-GEN-17': ['top_p of a wrong type is accepted (stream: true)'],
    'V3-CTX-01': [
      'earlier turns are not read (parent_id: given; think: true)',
      'earlier turns are not read (model name: alias; parent_id: given)',
      'earlier turns are not read (parent_id: given; rag: agent)',
    ],
    'V3-TOOLS-01': [
      'both tool lists are accepted (stream: true)',
      'both tool lists are accepted (think: true)',
    ],
    'V3-GEN-10': [
      'max_tokens is ignored (max_tokens: above 20)',
      'max_tokens is ignored (stream: not true)',
      'max_tokens is ignored (stream: true)',
    ],
    'V3-TOOLS-02': [
      'only the first element counts of exclude_tools',
      'exclude_tools is ignored (stream: true)',
      'exclude_tools is ignored (stream: not true)',
    ],
    'V3-TOOLS-03': [
      'include_tools is ignored',
      'include_tools is ignored (stream: true)',
      'include_tools is ignored (stream: not true)',
    ],
    'V3-THINK-01': ['think is ignored'],
    'V3-IDEM-01': [
      'a missing Idempotency-Key is accepted (stream: true)',
      'a missing Idempotency-Key is accepted (parent_id: given)',
      'a missing Idempotency-Key is accepted (occurrence: third or later)',
    ],
    'V3-IDEM-02': [
      'the Idempotency-Key is ignored (think: true)',
      'the Idempotency-Key is ignored (input: a list)',
      'the Idempotency-Key is ignored (parent_id: given)',
    ],
    'V3-IDEM-03': [
      'the Idempotency-Key is ignored (think: true)',
      'the Idempotency-Key is ignored (input: a list)',
      'the Idempotency-Key is ignored (parent_id: given)',
      'the Idempotency-Key is ignored (occurrence: after a rename; stream: true)',
    ],
    'V3-IDEM-07': ['the last character of the Idempotency-Key is not compared'],
    'V3-SSE-01': ['a stream has the media type of JSON', 'a stream is answered with one JSON body'],
    'V3-SSE-05': ['the stream has no response.created', 'response.created comes twice'],
    'V3-SSE-12': ['the stream has no response.output_item.added'],
    'V3-SSE-13': ['response.output_item.added comes twice'],
    'V3-SSE-17': [
      'the first response.output_text.delta comes twice',
      'the last response.output_text.delta is lost (think: true)',
    ],
    'V3-SSE-25': [
      'delta of response.reasoning_text.delta is a number',
      'delta of response.output_text.delta is a number',
    ],
    'RAG-01': [
      'rag is ignored (rag: true; stream: true)',
      'rag is ignored (rag: true; stream: not true)',
    ],
    'RAG-02': [
      'rag is taken for true (rag: false; stream: true)',
      'rag is taken for true (rag: false; stream: not true)',
    ],
    'RAG-03': [
      'rag is taken for true (rag: agent; stream: true)',
      'rag is taken for true (rag: agent; stream: not true)',
    ],
    'RAG-04': [
      'rag is ignored (rag: an object; stream: true)',
      'rag is ignored (rag: an object; stream: not true)',
    ],
    'RAG-05': [
      'rag is taken for true (rag: not given; stream: true)',
      'rag is taken for true (rag: not given; stream: not true)',
    ],
    'V3-CTX-02': ['turns of another chat are read (occurrence: first)'],
  },
  'v3.history': {
    'V3-HIST-08': ['the default page size is 10 (cursor: given)'],
    'V3-HIST-09': [
      'limit is ignored',
      'a page has one row more than limit',
      'a limit is taken for 50',
    ],
    'V3-HIST-10': [
      'the list ends after 100 rows',
      'the first row is lost (cursor: given; limit: above 20)',
      'the cursor of the next page is lost (cursor: given)',
    ],
    'V3-HIST-12': ['cursor is ignored', 'the cursor of the next page is lost'],
  },
  'v3.oneShot': {
    'V3-ONE-01': [
      'one JSON body is answered with a stream',
      'the request ends with 500 (occurrence: every second)',
    ],
    'V3-ONE-02': ['a stream is answered with one JSON body'],
    'V3-ONE-05': [
      'runs is ignored',
      'only the last element counts of runs',
      'runs is ignored (stream: true)',
    ],
    'V3-ONE-12': ['rag of a wrong type is accepted (stream: true)'],
    'V3-SSE-08': ['the stream has no response.completed'],
    'V3-SSE-05': ['the stream has no response.created'],
    'V3-SSE-17': ['the last response.output_text.delta is lost'],
    'RAG-06': ['rag is taken for true (rag: not given; stream: true)'],
  },
  'v3.attachments': {
    'V3-ATT-08': [
      'the list is empty (search: beyond ASCII)',
      'search is ignored (chat_id: given)',
      'the list is empty (search: given)',
    ],
    'V3-ATT-07': [
      'chat_id is ignored',
      'the list is empty (chat_id: given)',
      'chat_id is ignored (search: given)',
    ],
    'V3-ATT-09': ['limit is ignored', 'a page has one row more than limit'],
    'V3-ATT-10': [
      'the cursor of the next page is lost',
      'cursor is ignored',
      'the first row is lost (cursor: given)',
    ],
    'V3-ATT-06': ['the list is empty (chat_id: not given; search: not given)'],
  },
  'v3.upload': {
    'V3-ATT-03': ['filename is shown in upper case'],
  },
  'v3.chatAttachments': {
    'V3-ATT-12': ['the list is empty'],
    'V3-ATT-13': ['search is ignored', 'the list is empty (search: given)'],
  },
}
