/** Effects of generated faults by operation of the document. */
import { randomUUID } from 'node:crypto'
import { setAt } from '../patches/json.ts'
import type { FaultyOperation } from './conditions.ts'
import { editBlocks, editBody, withoutQuery } from './edits.ts'
import {
  answerManglings,
  contextLost,
  type Effect,
  failed,
  fieldsOf,
  ignored,
  inJson,
  inStream,
  otherForms,
  pageEffects,
  refused,
  requestManglings,
  responseFields,
  rowEffects,
  searchIgnored,
  streamFaults,
} from './effect.ts'

export const effectsOf: { readonly [Operation in FaultyOperation]: readonly Effect[] } = {
  'openai.chat': [
    refused,
    failed,
    ...[
      ...fieldsOf('id', 'object', 'created', 'model', 'choices', 'usage'),
      ...fieldsOf('choices.0.message.role', 'choices.0.message.content', 'usage.total_tokens'),
    ].map((effect): Effect => ({ ...effect, ...inJson })),
    ignored('max_tokens', 'parameter: max_tokens'),
    ignored('stop', 'parameter: stop'),
    ...otherForms,
    contextLost('messages: with an assistant message'),
    {
      ...inStream,
      family: 'wrong type',
      name: 'fragments of text are numbers',
      outgoing: editBlocks((chunk) =>
        setAt(chunk, 'choices.0.delta.content', (old: unknown) =>
          typeof old === 'string' ? 7 : old,
        ),
      ),
    },
  ],
  'openai.models': [refused, failed],
  'v2.message': [
    refused,
    failed,
    ...fieldsOf('id', 'chat_id', 'model_id', 'role', 'content', 'created_at'),
    ...answerManglings('content'),
    ignored('parent_id', 'parent: given'),
    {
      family: 'mangle',
      name: 'created_at is in local time without a zone',
      outgoing: editBody((body) =>
        setAt(body, 'created_at', (old: unknown) => String(old).slice(0, -1)),
      ),
    },
    {
      family: 'leak',
      name: 'chat_id is that of another chat',
      outgoing: editBody((body) => setAt(body, 'chat_id', randomUUID())),
    },
  ],
  'v2.generate': [
    refused,
    failed,
    ...fieldsOf('message', 'message.content'),
    contextLost('occurrence: second'),
    contextLost('occurrence: third or later'),
  ],
  'v3.generate': [
    refused,
    failed,
    ...responseFields,
    ...otherForms,
    ...streamFaults,
    ignored('max_tokens', 'parameter: max_tokens'),
    contextLost('occurrence: second'),
    contextLost('occurrence: third or later'),
    {
      family: 'duplicate',
      name: 'the Idempotency-Key is ignored',
      incoming: (call) => ({
        ...call,
        headers: { ...call.headers, 'idempotency-key': randomUUID() },
      }),
    },
    ...requestManglings('input'),
  ],
  'v3.oneShot': [refused, failed, ...responseFields, ...otherForms, ...streamFaults],
  'v3.createChat': [refused, failed, ...requestManglings('name')],
  'v3.updateChat': [refused, failed, ...requestManglings('name')],
  'v3.history': [
    refused,
    failed,
    ...pageEffects,
    ...rowEffects,
    ...fieldsOf('result.*.item', 'result.*.item_type'),
  ],
  'v3.chats': [
    refused,
    failed,
    ...pageEffects,
    ...rowEffects,
    searchIgnored,
    {
      family: 'ignore',
      name: 'exclude_favorites is ignored',
      needs: 'exclude_favorites: given',
      incoming: withoutQuery('exclude_favorites'),
    },
  ],
  'v3.favorites': [refused, failed, ...rowEffects],
  'v3.attachments': [
    refused,
    failed,
    ...pageEffects,
    ...rowEffects,
    searchIgnored,
    {
      family: 'leak',
      name: 'files of other chats are listed',
      needs: 'chat_id: given',
      incoming: withoutQuery('chat_id'),
    },
  ],
  'v3.chatAttachments': [refused, failed, ...rowEffects, searchIgnored],
}
