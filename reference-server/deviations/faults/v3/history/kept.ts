/** Faults of what a history keeps of a turn: nearly all of it (section 2.6). */
import type { RunItem } from '../../../../events/items.ts'
import type { Patch } from '../../../../services.ts'
import type { StoredRun } from '../../../../store/types.ts'
import { isText, type Json, setAt, toObject } from '../../../patches/json.ts'
import { setField } from '../../../patches/replies.ts'
import { v3History } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const historyKeptFaults: readonly Fault[] = [
  texts('blanks', 'The blanks around an input are not shown.', (text) => text.trim()),
  texts('line-breaks', 'The line breaks of an input are shown as blanks.', (text) =>
    text.replaceAll('\n', ' '),
  ),
  {
    name: 'v3-history-first-part-alone',
    summary: 'Of an input, the first part is shown.',
    breaks: ['V3-HIST-07'],
    patch: inputs((content) => (Array.isArray(content) ? content.slice(0, 1) : content)),
  },
  {
    name: 'v3-history-without-images',
    summary: 'The images of an input are not shown.',
    breaks: ['V3-HIST-07'],
    patch: inputs((content) =>
      Array.isArray(content)
        ? content.filter((part) => toObject(part)['type'] !== 'input_image')
        : content,
    ),
  },
  without('reasoning', 'Reasoning is not stored.', 'reasoning'),
  without('searches', 'Searches are not stored.', 'file_search_call'),
  without('tool-calls', 'Calls of tools are not stored.', 'function_call'),
  {
    name: 'v3-history-reasoning-as-message',
    summary: 'item_type of reasoning is message.',
    breaks: ['V3-HIST-03'],
    patch: rowsOf('reasoning', (row) => ({ ...row, item_type: 'message' })),
  },
  {
    name: 'v3-history-searches-running',
    summary: 'item_status of a search stays at searching.',
    breaks: ['V3-HIST-04'],
    patch: rowsOf('file_search_call', (row) => ({ ...row, item_status: 'searching' })),
  },
]

function rowsOf(type: string, change: (row: Json) => Json): Patch {
  return setField(v3History, 'result.*', (row: Json) =>
    toObject(row['item'])['type'] === type ? change(row) : row,
  )
}

/** The content of messages that are no answers, changed. */
function inputs(change: (content: unknown) => unknown): Patch {
  return setField(v3History, 'result.*', (row: Json) => {
    const { role } = toObject(row['item'])
    return role === undefined || role === 'assistant' ? row : setAt(row, 'item.content', change)
  })
}

function texts(name: string, summary: string, change: (text: string) => string): Fault {
  return {
    name: `v3-history-without-${name}`,
    summary,
    breaks: ['V3-HIST-07'],
    patch: inputs((content) =>
      setAt(content, '*.text', (text: unknown) => (isText(text) ? change(text) : text)),
    ),
  }
}

function without(name: string, summary: string, type: RunItem['type']): Fault {
  const change = (run: StoredRun): StoredRun => ({
    ...run,
    output: run.output.filter((item) => item.type !== type),
  })
  return {
    name: `v3-history-without-${name}`,
    summary,
    breaks: ['V3-HIST-06'],
    patch: onStore('history', (original) => ({
      append: (chatId, run) => original.append(chatId, change(run)),
    })),
  }
}
