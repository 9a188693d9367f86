import { randomUUID } from 'node:crypto'
import { isObject } from '../../../contract/index.ts'
import type { TransactionRunner } from '../engine/transaction-runner.ts'
import type { Kind } from '../plan/mix.ts'
import { promptOf, succeeded, type Transaction } from './transaction.ts'

/** Section 4.1. */
async function completion(context: TransactionRunner, form: Form): Promise<void> {
  const usage = context.entry.usage ? { stream_options: { include_usage: true } } : {}
  const more = form === 'stream' ? { stream: true, ...usage } : {}
  await context.send({ operation: 'openai.chat', form, json: { ...bodyOf(context), ...more } })
}

function bodyOf(context: TransactionRunner) {
  const { arrival, entry, target } = context
  const { answerTokens } = arrival
  return {
    model: entry.model ?? target.model,
    messages: [{ role: 'user', content: promptOf(context) }],
    ...(answerTokens === null ? {} : { max_tokens: answerTokens }),
  }
}

/** Section 4.2: stores a message, then generates its answer. */
const v2Turn: Transaction = async (context) => {
  const { entry, target } = context
  const chat = context.chats.v2Chat()
  if (chat === undefined) return
  const model = entry.model ?? target.model
  const stored = await context.send({
    operation: 'v2.message',
    form: 'json',
    json: {
      chat_id: chat,
      content: promptOf(context),
      model_id: model,
      ...retrievalOf(context),
    },
  })
  const id = isObject(stored.json) ? stored.json['id'] : undefined
  if (!succeeded(stored) || typeof id !== 'string') return
  await context.send({
    operation: 'v2.generate',
    form: 'json',
    json: { chat_id: chat, parent_id: id, model_id: model },
  })
}

/** Turns in one chat, each the parent of the next: its context grows from turn to turn. */
const v3Chat: Transaction = async (context) => {
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
      headers: { 'idempotency-key': randomUUID() },
    })
    if (!succeeded(result)) return
    parent = result.id
  }
}

/** The history of a chat from its first page to its last. */
const v3History: Transaction = async (context) => {
  const chat = context.chats.historyChat()
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
/** Maximum number of pages, in case cursors are circular. */
const maxPages = 50

type Form = 'stream' | 'json'

/** Section 4.3: a turn in a fresh chat. */
async function turnInFreshChat(context: TransactionRunner, form: Form): Promise<void> {
  const chat = await context.freshChat()
  if (chat === undefined) return
  const step = {
    operation: 'v3.generate',
    form,
    json: { chat_id: chat, stream: form === 'stream', ...settingsOf(context) },
    headers: { 'idempotency-key': randomUUID() },
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
  context.recordRace(userTurns(history.json, context.arrival.nonce), history)
}

async function oneShot(context: TransactionRunner, form: Form): Promise<void> {
  await context.send({
    operation: 'v3.oneShot',
    form,
    json: { stream: form === 'stream', ...settingsOf(context) },
  })
}

function settingsOf(context: TransactionRunner, turn = 0) {
  const { arrival, entry, target } = context
  const { answerTokens } = arrival
  return {
    ...target.generate,
    model_id: entry.model ?? target.model,
    input: promptOf(context, turn),
    ...retrievalOf(context),
    ...(answerTokens === null ? {} : { max_tokens: answerTokens }),
  }
}

/** The factors of an entry; one with `rag` needs an assistant. */
function retrievalOf({ entry: { think, rag }, target: { assistant } }: TransactionRunner) {
  return {
    ...(think === null ? {} : { think }),
    ...(rag === null ? {} : { rag }),
    ...(rag === null || assistant === null ? {} : { assistant_id: assistant }),
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

/** The requests that each kind of transaction sends. */
export const transactions: Readonly<Record<Kind, Transaction>> = {
  'openai-stream': (context) => completion(context, 'stream'),
  'openai-json': (context) => completion(context, 'json'),
  'v3-stream': (context) => turnInFreshChat(context, 'stream'),
  'v3-json': (context) => turnInFreshChat(context, 'json'),
  'one-shot-stream': (context) => oneShot(context, 'stream'),
  'one-shot-json': (context) => oneShot(context, 'json'),
  'v2-turn': v2Turn,
  'v3-history': v3History,
  'v3-chat': v3Chat,
}
