/** Faults of history rows: their fields, and missing or changed content (sections 2.6 and 4.3). */
import type { RunItem } from '../../../../events/response-object.ts'
import type { Patch } from '../../../../services.ts'
import type { StoredRun } from '../../../../store/types.ts'
import { isText, type Json, setAt, toList, toObject } from '../../../patches/json.ts'
import { onReply, onSuccessBody, setFields } from '../../../patches/replies.ts'
import { v3History } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

const without = (type: RunItem['type']): Patch =>
  editStoredRun((run) => ({ ...run, output: run.output.filter((item) => item.type !== type) }))

/** Maps the rows of one role. */
const editRows = (role: string, change: (row: Json) => Json): Patch =>
  setFields(v3History, {
    'result.*': (row: Json) => (toObject(row['item'])['role'] === role ? change(row) : row),
  })
export const historyRowFaults = faultTable({
  'V3-HIST-07': {
    'v3-history-decomposed: The history returns the text of an input in Unicode normalization form D.':
      inputTexts((text) => text.normalize('NFD')),
    'v3-history-ascii-answers: Non-ASCII characters of a stored answer are replaced by question marks.':
      setFields(v3History, {
        'result.*': (row: Json) =>
          toObject(row['item'])['role'] === 'assistant'
            ? setAt(row, 'item.content.*.text', (text: unknown) =>
                isText(text) ? text.replaceAll(/[^\0-\x7f]/g, '?') : text,
              )
            : row,
      }),
    'v3-history-first-part-alone: The history returns only the first content part of an input.':
      inputs((content) => (Array.isArray(content) ? content.slice(0, 1) : content)),
    'v3-history-hides-the-system: System messages are not stored in the history.': editStoredRun(
      (run) => ({
        ...run,
        input: run.input.filter(({ role }) => role !== 'system'),
      }),
    ),
  },
  'V3-HIST-05': {
    'v3-history-input-content-as-text: The content of a user message is a string instead of an array of parts.':
      editRows('user', (row) =>
        setAt(row, 'item.content', (content: unknown) => toList(content)[0]?.['text']),
      ),
    'v3-history-input-without-type: User messages omit type.': editRows('user', (row) =>
      setAt(setAt(row, 'item.type', undefined), 'item_type', undefined),
    ),
    'v3-history-developer-as-system: A developer message is returned with the role system.':
      editRows('developer', (row) => setAt(row, 'item.role', 'system')),
  },
  'V3-HIST-03': {
    'v3-history-reasoning-as-message: The item_type of a reasoning item is message.': rowsOf(
      'reasoning',
      (row) => ({ ...row, item_type: 'message' }),
    ),
  },
  'V3-HIST-04': {
    'v3-history-searches-running: The item_status of a file search call remains searching.': rowsOf(
      'file_search_call',
      (row) => ({ ...row, item_status: 'searching' }),
    ),
  },
  'V3-HIST-06': {
    'v3-history-without-reasoning: Reasoning items are not stored in the history.':
      without('reasoning'),
    'v3-history-without-searches: File search calls are not stored in the history.':
      without('file_search_call'),
    'v3-history-without-tool-calls: Function calls are not stored in the history.':
      without('function_call'),
    'v3-history-incomplete-answers-lost: Answers that reach max_tokens are not stored.': onStore(
      'history',
      (original) => ({
        append: (chatId, run, turn) => {
          const isCut = turn?.run.finish === 'length'
          return original.append(chatId, isCut ? { ...run, output: [] } : run, turn)
        },
      }),
    ),
    'v3-history-output-ids-anew: Output messages have other ids in the history than in the response.':
      editRows('assistant', (row) => setAt(row, 'item.id', (id: unknown) => `row_${id}`)),
  },
  'V3-HIST-01': {
    'v3-history-bare-list: A history page is a bare array.': onSuccessBody(
      v3History,
      (body) => body['result'],
    ),
    'v3-history-of-an-empty-chat-missing: The history of a chat without messages returns 404.':
      onReply(v3History, (reply) =>
        'body' in reply &&
        reply.status === 200 &&
        toList(toObject(reply.body)['result']).length === 0
          ? { status: 404, body: { error: { message: 'No messages' } } }
          : reply,
      ),
  },
  'V3-HIST-02': {
    'v3-history-item-as-text: item is a JSON string instead of an object.': setFields(v3History, {
      'result.*.item': JSON.stringify,
    }),
  },
  'V3-HIST-16': {
    'v3-history-mixes-chats: A turn that is sent while another one runs is stored in another chat as well.':
      'v3.generate: the turn is stored in another chat as well (overlap: two at once)',
  },
})
function rowsOf(type: string, change: (row: Json) => Json): Patch {
  return setFields(v3History, {
    'result.*': (row: Json) => (toObject(row['item'])['type'] === type ? change(row) : row),
  })
}

/** Maps the content of input messages. */
function inputs(change: (content: unknown) => unknown): Patch {
  return setFields(v3History, {
    'result.*': (row: Json) => {
      const { role } = toObject(row['item'])
      return role === undefined || role === 'assistant' ? row : setAt(row, 'item.content', change)
    },
  })
}

function inputTexts(change: (text: string) => string): Patch {
  return inputs((content) =>
    setAt(content, '*.text', (text: unknown) => (isText(text) ? change(text) : text)),
  )
}

function editStoredRun(change: (run: StoredRun) => StoredRun): Patch {
  return onStore('history', (original) => ({
    append: (chatId, run) => original.append(chatId, change(run)),
  }))
}
