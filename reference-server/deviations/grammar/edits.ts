/** Edits of requests and answers of which the effects of generated faults consist. */
import type { Call, Reply, StreamReply, ValueReply } from '../../http/call.ts'
import { type Json, mapStrings, setAt, toList, toObject } from '../patches/json.ts'

/** Edit of the JSON body of a success; streams and refusals stay as they are. */
export function editBody(change: (body: Json) => unknown) {
  return (reply: Reply): Reply =>
    isValue(reply) && reply.status < 300 ? { ...reply, body: change(toObject(reply.body)) } : reply
}

/** Edit of each block of a stream, but its end marker; undefined drops a block. */
export function editBlocks(change: (data: Json) => Json) {
  return (reply: Reply): Reply => {
    if (isValue(reply)) return reply
    return { ...reply, blocks: edited(reply.blocks) }
  }

  async function* edited(blocks: StreamReply['blocks']): StreamReply['blocks'] {
    for await (const block of blocks) {
      yield block.data === '[DONE]' ? block : { ...block, data: change(toObject(block.data)) }
    }
  }
}

/** Edit of the rows of a list. */
export function editRows(change: (rows: readonly Json[]) => readonly Json[]) {
  return editBody((body) => ({ ...body, result: change(toList(body['result'])) }))
}

export function editRequest(change: (body: Json) => Json) {
  return (call: Call): Call => ({ ...call, body: change(toObject(call.body)) })
}

export function withoutQuery(name: string) {
  return (call: Call): Call => ({ ...call, query: setAt(call.query, name, undefined) })
}

/** Edit of the texts that a user wrote: a name, a content, or the input in any of its forms. */
export function editTexts(...members: readonly string[]) {
  return (change: (text: string) => string) =>
    editRequest((body) => {
      const edits = members.map((member) => {
        const edit = (text: string, name: string) =>
          name === member || name === 'text' || name === '' ? change(text) : text
        return [member, mapStrings(body[member], edit)] as const
      })
      return { ...body, ...Object.fromEntries(edits.filter(([, value]) => value !== undefined)) }
    })
}

/** Ways in which careless code loses a part of a text. */
export const manglings: Readonly<Record<string, (text: string) => string>> = {
  'in upper case': (text) => text.toUpperCase(),
  'without outer space': (text) => text.trim(),
  'up to the first line break': (text) => text.split(/\r?\n/)[0] ?? '',
  'with ? for what is not ASCII': (text) => text.replace(/[^\0-\x7f]/g, '?'),
  'with ? for what is beyond the BMP': (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  'with LF for CRLF': (text) => text.replaceAll('\r\n', '\n'),
  'without tags': (text) => text.replace(/<[^>]*>/g, ''),
  'with escaped angle brackets': (text) => text.replaceAll('<', '&lt;'),
  'cut at 500 characters': (text) => text.slice(0, 500),
  'with single spaces': (text) => text.replace(/ {2,}/g, ' '),
}

function isValue(reply: Reply): reply is ValueReply {
  return !('blocks' in reply)
}
