import { asJson, asList, asText, isText, type Json } from '../json.ts'
import type { Rules } from '../rules.ts'
import type { Violation } from './violation.ts'

/** Violations that store or show nearly what has to be stored or shown. */
export const contents: readonly Violation[] = [
  kept('blanks around a text are not kept', (item) => withText(item, (text) => text.trim())),
  kept('line breaks of a text are not kept', (item) =>
    withText(item, (text) => text.replaceAll('\n', ' ')),
  ),
  kept('characters beyond the basic plane are not kept', (item) =>
    withText(item, (text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?')),
  ),
  kept('the first part of an input is kept only', (item) =>
    item['role'] === 'user' ? { ...item, content: asList(item['content']).slice(0, 1) } : item,
  ),
  kept('pictures are not kept', (item) => ({
    ...item,
    ...(item['content'] === undefined
      ? {}
      : { content: parts(item).filter(({ type }) => type !== 'input_image') }),
  })),
  {
    ...kept('messages of the system are kept as those of the user', (item) =>
      item['role'] === 'system' ? { ...item, role: 'user' } : item,
    ),
    breaks: ['V3-HIST-05'],
  },
  kept('messages of a developer are not kept', (item) =>
    item['role'] === 'developer' ? undefined : item,
  ),
  kept('reasoning is not kept', (item) => (item['type'] === 'reasoning' ? undefined : item)),
  kept('searches are not kept', (item) => (item['type'] === 'file_search_call' ? undefined : item)),
  kept('tool calls are not kept', (item) => (item['type'] === 'function_call' ? undefined : item)),
  {
    name: 'answers of streams are not kept',
    section: '4.3',
    breaks: ['V3-HIST-07', 'V3-HIST-06'],
    changes: {
      keeps: (items, { stream }) =>
        stream ? items.filter(({ role }) => role !== 'assistant') : items,
    },
  },
  {
    name: 'answers with think are not kept',
    section: '4.3',
    breaks: ['V3-HIST-07', 'V3-HIST-06'],
    changes: {
      keeps: (items, { think }) =>
        think ? items.filter(({ role }) => role !== 'assistant') : items,
    },
  },
  {
    name: 'answers that were cut are not kept',
    section: '4.3',
    breaks: ['V3-HIST-07', 'V3-HIST-06'],
    changes: {
      keeps: (items) => items.filter(({ status }) => status !== 'incomplete'),
    },
  },
  {
    name: 'the last of several input items is not kept',
    section: '4.3',
    breaks: ['V3-HIST-07'],
    changes: {
      keeps: (items) => {
        const inputs = items.filter(({ role }) => role === 'user')
        return inputs.length < 3 ? items : items.filter((item) => item !== inputs.at(-1))
      },
    },
  },
  row('rows of reasoning are called messages', 'V3-HIST-03', 'reasoning', {
    item_type: 'message',
  }),
  row('rows of searches have another item_status', 'V3-HIST-04', 'file_search_call', {
    item_status: 'searching',
  }),
  row('rows of searches have another item_type', 'V3-HIST-03', 'file_search_call', {
    item_type: 'search',
  }),
  row('rows of tool calls have another item_type', 'V3-HIST-03', 'function_call', {
    item_type: 'tool',
  }),
  row('rows of reasoning have no item_status', 'V3-HIST-04', 'reasoning', {
    item_status: undefined,
  }),
  {
    name: 'the only choice has the index 1',
    section: '2.2',
    breaks: ['OAI-N-01'],
    changes: {
      answers: (_, body) =>
        body['choices'] === undefined
          ? body
          : {
              ...body,
              choices: asList(body['choices']).map((choice) => ({ ...asJson(choice), index: 1 })),
            },
    },
  },
  {
    name: 'v2 trims the content of a message',
    section: '2.3',
    breaks: ['V2-MSG-06'],
    changes: {
      reads: (call, body) =>
        call.route.endsWith('/v2/message') && isText(body['content'])
          ? { ...body, content: body['content'].trim() }
          : body,
    },
  },
  {
    name: 'v2 collapses blanks in a message',
    section: '2.3',
    breaks: ['V2-MSG-06'],
    changes: {
      reads: (call, body) =>
        call.route.endsWith('/v2/message') && isText(body['content'])
          ? { ...body, content: body['content'].replaceAll(/\s+/g, ' ') }
          : body,
    },
  },
  {
    name: 'names of chats are cut at 24 characters',
    section: '2.5',
    breaks: ['V3-CHAT-02'],
    changes: {
      reads: (call, body) =>
        call.route.endsWith('/v3/chat') && isText(body['name'])
          ? { ...body, name: body['name'].slice(0, 24) }
          : body,
    },
  },
  {
    name: 'names of chats lose what is not ASCII',
    section: '2.5',
    breaks: ['V3-CHAT-02'],
    changes: {
      reads: (call, body) =>
        call.route.endsWith('/v3/chat') && isText(body['name'])
          ? { ...body, name: body['name'].replaceAll(/[^\x20-\x7e]/g, '') }
          : body,
    },
  },
  cargo('names of files lose what is not ASCII', 'V3-ATT-03', ({ filename }) => ({
    filename: asText(filename).replaceAll(/[^\x20-\x7e]/g, '_'),
  })),
  cargo('names of files are in small letters', 'V3-ATT-03', ({ filename }) => ({
    filename: asText(filename).toLowerCase(),
  })),
  cargo('the size of a file is that of a block', 'V3-ATT-04', ({ size }) => ({
    size: Math.ceil(Number(size) / 2) * 2,
  })),
]

function parts(item: Json): Json[] {
  return asList(item['content']).map(asJson)
}

function withText(item: Json, change: (text: string) => string): Json {
  if (item['role'] === 'assistant' || item['content'] === undefined) return item
  return { ...item, content: parts(item).map((part) => textOf(part, change)) }
}

function textOf(part: Json, change: (text: string) => string): Json {
  return isText(part['text']) ? { ...part, text: change(part['text']) } : part
}

function kept(name: string, change: (item: Json) => Json | undefined): Violation {
  const keeps: Rules['keeps'] = (items) =>
    items.map(change).filter((item): item is Json => item !== undefined)
  return { name, section: '2.6', breaks: ['V3-HIST-07', 'V3-HIST-06'], changes: { keeps } }
}

function row(name: string, id: string, type: string, members: Json): Violation {
  const changed: Rules['row'] = (shownRow) =>
    asJson(shownRow['item'])['type'] === type ? { ...shownRow, ...members } : shownRow
  return { name, section: '2.6', breaks: [id], changes: { row: changed } }
}

function cargo(name: string, id: string, change: (cargo: Json) => Json): Violation {
  const answers: Rules['answers'] = (_, body) => {
    const stored = asJson(body['cargo'])
    return body['cargo'] === undefined ? body : { ...body, cargo: { ...stored, ...change(stored) } }
  }
  return { name, section: '2.4', breaks: [id], changes: { answers } }
}
