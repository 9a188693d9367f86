/** Faults of histories that omit or change a turn (sections 2.6 and 4.3). */
import type { RunItem } from '../../../../events/response-object.ts'
import type { Patch } from '../../../../services.ts'
import type { StoredRun } from '../../../../store/types.ts'
import { isText, type Json, setAt, toObject } from '../../../patches/json.ts'
import { onSuccessBody, setFields } from '../../../patches/replies.ts'
import { onRequest } from '../../../patches/requests.ts'
import { v3Generate, v3History } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

export const historyKeptFaults = faultTable({
  'V3-HIST-07': {
    'v3-history-escaped-as-html: The history returns the text of an input with the escapes of HTML.':
      inputTexts((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
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
    'v3-history-cut-at-4000: The history returns the first 4,000 characters of an input.':
      inputTexts((text) => text.slice(0, 4000)),
    'v3-history-first-part-alone: The history returns only the first content part of an input.':
      inputs((content) => (Array.isArray(content) ? content.slice(0, 1) : content)),
    'v3-history-without-images: The history omits the images of an input.': inputs((content) =>
      Array.isArray(content)
        ? content.filter((part) => toObject(part)['type'] !== 'input_image')
        : content,
    ),
    'v3-history-without-blanks: The history omits leading and trailing spaces of an input.':
      inputTexts((text) => text.trim()),
    'v3-history-without-line-breaks: The history returns the line breaks of an input as spaces.':
      inputTexts((text) => text.replaceAll('\n', ' ')),
  },
  'V3-HIST-05': {
    'v3-history-parts-called-text: The type of a text part of an input is text.': inputs(
      (content) =>
        setAt(content, '*.type', (type: unknown) => (type === 'input_text' ? 'text' : type)),
    ),
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

function without(type: RunItem['type']): Patch {
  const change = (run: StoredRun): StoredRun => ({
    ...run,
    output: run.output.filter((item) => item.type !== type),
  })
  return onStore('history', (original) => ({
    append: (chatId, run) => original.append(chatId, change(run)),
  }))
}

export const lostTurnFaults = faultTable({
  'V3-HIST-07': {
    'v3-history-ends-with-a-refusal: A generation with both tool lists removes the runs of its chat from the history.':
      perServer(() => {
        const cleared = new Set<string>()
        return compose([
          onRequest(v3Generate, (call) => {
            const { chat_id: chatId, include_tools, exclude_tools } = toObject(call.body)
            if (include_tools && exclude_tools) cleared.add(String(chatId))
            return call
          }),
          onSuccessBody(v3History, (body, { query }) =>
            cleared.has(String(toObject(query)['chat_id'])) ? { ...body, result: [] } : body,
          ),
        ])
      }),
  },
  'V3-HIST-06': {
    'v3-history-incomplete-answers-lost: Answers that reach max_tokens are not stored.': onStore(
      'history',
      (original) => ({
        append: (chatId, run, turn) => {
          const isCut = turn?.run.finish === 'length'
          return original.append(chatId, isCut ? { ...run, output: [] } : run, turn)
        },
      }),
    ),
  },
})

/** Notes the chats that are renamed. */
export function noteNames(renamed: Set<string>): Patch {
  return onStore('chats', ({ update }) => ({
    update: (owner, id, change) => {
      if (change.name !== undefined) renamed.add(id)
      return update(owner, id, change)
    },
  }))
}
