import { isObject } from '../../../contract/index.ts'
import { promptOf } from './prompt.ts'
import { succeeded, type Transaction, type TransactionContext } from './transaction.ts'

/** Section 4.3: a turn in a fresh chat. */
export const v3Stream: Transaction = (context) => turnInFreshChat(context, 'stream')
export const v3Json: Transaction = (context) => turnInFreshChat(context, 'json')

export const oneShotStream: Transaction = (context) => oneShot(context, 'stream')
export const oneShotJson: Transaction = (context) => oneShot(context, 'json')

/** Turns in one chat, each the parent of the next: its context grows from turn to turn. */
export const v3Chat: Transaction = async (context) => {
  const chat = await context.freshChat()
  if (chat === undefined) return
  let parent: string | undefined
  for (let turn = 0; turn < context.arrival.turns; turn += 1) {
    if (turn > 0) await context.pause(context.arrival.thinkNs[turn - 1] ?? 0)
    const link = parent === undefined ? {} : { parent_id: parent }
    const result = await context.send({
      operation: 'v3.generate',
      form: 'stream',
      json: { chat_id: chat, stream: true, ...settingsOf(context, turn), ...link },
      headers: { 'idempotency-key': context.uuid() },
    })
    if (!succeeded(result)) return
    parent = result.id
  }
}

/** The history of a chat from its first page to its last. */
export const v3History: Transaction = async (context) => {
  const chat = await context.historyChat()
  if (chat === undefined) return
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const query = { chat_id: chat, limit: String(pageSize) }
    const result = await context.send({
      operation: 'v3.history',
      form: 'json',
      query: cursor === undefined ? query : { ...query, cursor },
    })
    const pagination = isObject(result.json) ? result.json['pagination'] : undefined
    const next = isObject(pagination) ? pagination['cursor'] : undefined
    if (!succeeded(result) || typeof next !== 'string' || next === cursor) return
    cursor = next
  }
}

/** Small enough to give a short history several pages. */
const pageSize = 2
/** Bound for cursors that run in a circle. */
const maxPages = 50

async function turnInFreshChat(
  context: TransactionContext,
  form: 'stream' | 'json',
): Promise<void> {
  const chat = await context.freshChat()
  if (chat === undefined) return
  const step = {
    operation: 'v3.generate',
    form,
    json: { chat_id: chat, stream: form === 'stream', ...settingsOf(context) },
    headers: { 'idempotency-key': context.uuid() },
  } as const
  if (!context.arrival.race) {
    await context.send(step)
    return
  }
  const [first, second] = await context.sendTwice(step)
  if (!succeeded(first) && !succeeded(second)) return
  const history = await context.send({
    operation: 'v3.history',
    form: 'json',
    query: { chat_id: chat },
  })
  context.recordRace({ turns: userTurns(history.json, context.arrival.nonce), history })
}

async function oneShot(context: TransactionContext, form: 'stream' | 'json'): Promise<void> {
  await context.send({
    operation: 'v3.oneShot',
    form,
    json: { stream: form === 'stream', ...settingsOf(context) },
  })
}

function settingsOf(context: TransactionContext, turn = 0) {
  const { arrival, entry, target } = context
  const { answerTokens } = arrival
  return {
    ...target.generate,
    model_id: entry.model ?? target.model,
    input: promptOf(context, turn),
    ...(entry.think === null ? {} : { think: entry.think }),
    ...(entry.rag === null ? {} : { rag: entry.rag }),
    ...(entry.rag === null || target.assistant === null ? {} : { assistant_id: target.assistant }),
    ...(answerTokens === null ? {} : { max_tokens: answerTokens }),
  }
}

/** Number of user messages with this nonce; null without a readable history. */
function userTurns(history: unknown, nonce: string): number | null {
  const messages = isObject(history) ? history['result'] : undefined
  if (!Array.isArray(messages)) return null
  return messages.filter((message) => {
    const item = isObject(message) ? message['item'] : undefined
    return isObject(item) && item['role'] === 'user' && JSON.stringify(item).includes(nonce)
  }).length
}
