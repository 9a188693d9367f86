/** Chats, lists, models and histories in other shapes and orders (sections 2.6 and 4.3). */
import type { RunItem } from '../../../events/response-object.ts'
import type { ValueReply } from '../../../http/call.ts'
import type { Patch } from '../../../services.ts'
import type { Store } from '../../../store/sql/store.ts'
import { type Json, setAt, toList, toObject } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setFields } from '../../patches/replies.ts'
import { chatIdOf, onRequestBody } from '../../patches/requests.ts'
import { compose, onStore, remembering } from '../../patches/services.ts'
import { alternatives, type Dialect, dialectTable } from '../../table.ts'

export const chatRecords: readonly Dialect[] = [
  ...dialectTable({
    'chat-created-200: POST /chat returns 200.': onSuccess('v3.createChat', (reply) => ({
      ...reply,
      status: 200,
    })),
    'favorites-204: Adding and removing favorites returns 204.': onSuccess(
      ['v3.addFavorite', 'v3.removeFavorite'],
      () => ({ status: 204 }),
    ),
    'favorites-once: Adding a favorite again returns 409.': remembering((favorites) => [
      onSuccess('v3.addFavorite', (reply, call) => {
        if (favorites.has(chatIdOf(call)))
          return { status: 409, body: { error: 'Already a favorite' } }
        favorites.add(chatIdOf(call))
        return reply
      }),
      onSuccess('v3.removeFavorite', (reply, call) => {
        favorites.delete(chatIdOf(call))
        return reply
      }),
    ]),
    'chat-patched-by-title: PATCH of a chat accepts title instead of name, as the profile declares.':
      {
        profile: { requests: { patchChat: { title: '{name}' } } },
        patch: compose([
          onRequestBody('v3.updateChat', ({ name: _, title, ...rest }) => ({
            ...rest,
            ...(title === undefined ? {} : { name: title }),
          })),
          onSuccessBody('v3.updateChat', (chat) => ({ ...chat, title: chat['name'] })),
        ]),
      },
  }),
  ...alternatives({
    'chat-wrapped-in-chat: Chats are nested in chat.': reshapeChats((chat) => ({ chat })),
    'chat-wrapped-in-data: Chats are nested in data, next to status and a UUID as request_id.':
      reshapeChats((chat) => ({
        status: 'ok',
        request_id: '6e0a1c52-9d0b-4b39-8a53-0c8c2f8e2a11',
        data: chat,
      })),
    'chat-of-other-names: Chats have chat_id and title instead of id and name.': reshapeChats(
      ({ id, name, ...rest }) => ({ chat_id: id, title: name, ...rest }),
    ),
    'chat-where-a-pointer-leads: POST /chat returns two UUIDs named ref; the profile has the JSON pointer to the chat id.':
      {
        profile: { shapes: { chatId: '/created/0/ref' } },
        patch: onSuccessBody('v3.createChat', ({ id, ...rest }) => ({
          account: { ref: '6e0a1c52-9d0b-4b39-8a53-0c8c2f8e2a11' },
          created: [{ ref: id, ...rest }],
        })),
      },
  }),
  ...alternatives({
    'delete-200-with-body: DELETE returns 200 with a body.': answerDeletes({
      status: 200,
      body: { deleted: true, object: 'chat' },
    }),
    'delete-202: DELETE returns 202.': answerDeletes({ status: 202 }),
    'delete-200-empty: DELETE returns 200 without a body.': answerDeletes({
      status: 200,
      headers: { 'content-length': '0' },
    }),
  }),
]

export const modelLists = alternatives({
  'models-bare: The model list is a bare array.': reshapeModels((data) => data),
  'models-as-names: The model list is an array of ids in models.': reshapeModels((data) => ({
    models: data.map(({ id }) => id),
  })),
  'models-grouped: The model list has groups, whose ids are numbers.': reshapeModels((models) => ({
    groups: [{ id: 1, models }],
  })),
  'models-keyed-by-id: The model list is an object with one member per id.': reshapeModels(
    (data) => ({
      models: Object.fromEntries(data.map(({ id, description }) => [String(id), { description }])),
    }),
  ),
  'models-by-alias: The model list has result and model_id, and names the main model only by its alias.':
    reshapeModels((data) => ({
      result: data.map(({ id, aliases, description }) => ({
        model_id: Array.isArray(aliases) && aliases.length > 0 ? aliases[0] : id,
        description,
      })),
    })),
})

function reshapeModels(change: (models: readonly Json[]) => unknown): Patch {
  return onSuccessBody('openai.models', ({ data }) => change(toList(data)))
}

function reshapeChats(change: (chat: Json) => Json): Patch {
  return onSuccessBody(['v3.createChat', 'v3.chat', 'v3.updateChat'], change)
}

function answerDeletes(reply: ValueReply): Patch {
  return onSuccess('v3.deleteChat', () => reply)
}

export const histories = dialectTable({
  'history-newest-first: The history is returned newest first.': {
    // Its positions are not those after which that one ends.
    excludes: ['history-ends-on-an-empty-page'],
    patch: onStore('history', (original) => ({ page: newestFirst(original) })),
  },
  'history-hides-outputs: The item of output rows in the history is null.': editRows((row) =>
    isOutput(row) ? { ...row, item: null } : row,
  ),
  'history-marks-turns: Before each turn, the history has a row whose item is null.': compose([
    onStore('history', (original) => ({
      append: (chatId, run, turn) =>
        original.append(chatId, { ...run, input: [{ type: turnMark }, ...run.input] }, turn),
    })),
    editRows((row) => {
      const { item_type: type, item_status: _, ...rest } = row
      return type === turnMark ? { ...rest, item: null } : row
    }),
  ]),
  'history-without-input-ids: The history has a row without an id for each part of an input, and output rows have tags.':
    compose([
      onStore('history', (original) => ({
        append: (chatId, run, turn) =>
          original.append(chatId, { ...run, input: run.input.flatMap(itemPerPart) }, turn),
      })),
      editRows((row) => (isOutput(row) ? { ...row, tags: [] } : setAt(row, 'item.id', undefined))),
    ]),
  'history-pagination-in-detail: pagination has additional members.': setFields('v3.history', {
    pagination: (old: Json) => ({
      ...old,
      ...{ has_more: old['cursor'] !== null, limit: null, previous: null, total: 1000 },
    }),
  }),
  'history-ends-on-an-empty-page: After a full last page, the history ends with an empty page.':
    onStore('history', (original) => ({
      page: async (chatId, after, limit) => {
        const { rows, next } = await original.page(chatId, after, limit)
        const isFull = rows.length === limit
        return { rows, next: next ?? (isFull ? after + rows.length : null) }
      },
    })),
})

const turnMark = 'turn_mark'

function editRows(change: (row: Json) => Json): Patch {
  return setFields('v3.history', { 'result.*': change })
}

function isOutput({ item }: Json): boolean {
  const { role, type } = toObject(item)
  return role === 'assistant' || type !== 'message'
}

function itemPerPart(item: RunItem): readonly RunItem[] {
  const parts = toList(item['content'])
  return parts.length > 0 ? parts.map((part) => ({ ...item, content: [part] })) : [item]
}

/** Rows that are added while paging come before all rows that were returned. */
function newestFirst(original: Store['history']): Store['history']['page'] {
  return async (chatId, after, limit) => {
    const { rows } = await original.page(chatId, 0, Number.MAX_SAFE_INTEGER)
    // A position counts rows from the oldest, so that it remains valid as rows are added.
    const before = after === 0 ? rows.length : after - 1
    const from = Math.max(0, before - limit)
    return { rows: rows.slice(from, before).toReversed(), next: from > 0 ? from + 1 : null }
  }
}
