import type { RequirementId } from '../../../contract/index.ts'
import { asObject, asString, type JsonObject } from '../../../contract/json.ts'
import { v2Generation, v2Message } from '../../../contract/wire.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { judgeShape } from './shape.ts'

/** Section 2.3: a stored message, held against the request that stored it. */
export function judgeV2Message(
  collector: FindingCollector,
  body: JsonObject,
  request: JsonObject,
): void {
  if (!Object.keys(rowOfMember).some((member) => member in body)) {
    collector.broken('V2-MSG-01', `The answer is ${show(body)}: it has no member of a message.`)
    return
  }
  judgeShape(collector, body, {
    schema: v2Message,
    rows: Object.values(rowOfMember),
    rowOf: ([member]) => rowOfMember[member as keyof typeof rowOfMember],
  })
  const { chat_id: sentChat, content: sentContent } = request
  const chat = asString(body['chat_id'])
  if (typeof sentChat === 'string' && chat?.toLowerCase() !== sentChat.toLowerCase()) {
    collector.broken('V2-MSG-03', `The chat_id is ${show(chat)}; ${show(sentChat)} was sent.`)
  }
  if (typeof sentContent === 'string' && body['content'] !== sentContent) {
    collector.broken(
      'V2-MSG-06',
      `The content is ${show(body['content'])}; ${show(sentContent)} was sent.`,
    )
  }
}

/** Section 4.2: the result of a v2 generation; only `message.content` is shown. */
export function judgeV2Generation(collector: FindingCollector, body: JsonObject): void {
  judgeShape(collector, body, {
    schema: v2Generation,
    rows: ['V2-GEN-01'],
    rowOf: () => 'V2-GEN-01',
  })
  const beside = [
    ...Object.keys(body).filter((key) => key !== 'message'),
    ...Object.keys(asObject(body['message']) ?? {})
      .filter((key) => key !== 'content')
      .map((key) => `message.${key}`),
  ]
  collector.observed('OPEN-01', beside.sort().join(', ') || 'none')
}

const rowOfMember = {
  id: 'V2-MSG-02',
  chat_id: 'V2-MSG-03',
  model_id: 'V2-MSG-04',
  role: 'V2-MSG-05',
  content: 'V2-MSG-06',
  created_at: 'V2-MSG-07',
} as const satisfies Record<string, RequirementId>
