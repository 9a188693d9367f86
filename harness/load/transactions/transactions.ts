import { randomUUID } from 'node:crypto'
import { isObject } from '../../../contract/index.ts'
import type { Passage } from '../../../fixtures/content/passages.ts'
import type { TransactionRunner } from '../engine/transaction-runner.ts'
import type { Kind } from '../plan/mix.ts'
import { drawsOf, hashText } from '../plan/random.ts'
import type { RequestResult } from '../record.ts'

/** Section 4.1. */
async function completion(context: TransactionRunner, form: Form): Promise<void> {
  const { entry, target, arrival } = context
  const { answerTokens } = arrival
  const usage = entry.usage ? { stream_options: { include_usage: true } } : {}
  const json = {
    model: entry.model ?? target.model,
    messages: [{ role: 'user', content: promptOf(context) }],
    ...(answerTokens === null ? {} : { max_tokens: answerTokens }),
    ...(form === 'stream' ? { stream: true, ...usage } : {}),
  }
  await context.send({ operation: 'openai.chat', form, json })
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
  context.recordRace(countUserTurns(history.json, context.arrival.nonce), history)
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
function countUserTurns(history: unknown, nonce: string): number | null {
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

/** A kind of transaction: resolves after its last request; a failed request ends it early. */
type Transaction = (context: TransactionRunner) => Promise<void>

/** True for a whole answer without a violation, also one to a slow reader. */
function succeeded({ record }: RequestResult): boolean {
  const { kind } = record.outcome
  return kind === 'ok' || (kind === 'abandoned' && record.outcome.why === 'slow-reader')
}

type PromptContext = Pick<TransactionRunner, 'arrival' | 'entry' | 'target' | 'passages'>

/**
 * The prompt of a request: plants its nonce, adds as many words as drawn, and asks for the nonce, so
 * that an answer meant for another request can be recognized.
 */
export function promptOf(
  { arrival, entry, target: { recall }, passages }: PromptContext,
  turn = 0,
): string {
  const { nonce, promptWords, answerTokens } = arrival
  const tell = recall.tell.replaceAll('{nonce}', nonce)
  const words = wordsOf(passages, `${nonce}/${turn}`, promptWords)
  const text = entry.template ?? (answerTokens === null ? free : measured)
  return text
    .replaceAll('{nonce}', nonce)
    .replaceAll('{tell}', tell)
    .replaceAll('{ask}', recall.ask)
    .replaceAll('{words}', words)
    .replaceAll('{tokens}', String(answerTokens ?? ''))
}

const free = '{tell} {words}. {ask}'
const measured = '{tell} {words}. {ask} Then go on for about {tokens} words. [[tokens={tokens}]]'

/** The given number of words of a user, from the beginning of a sentence; continues with another user if a text ends. */
export function wordsOf(passages: readonly Passage[], seed: string, count: number): string {
  const draw = drawsOf(hashText(seed), 0)
  const first = Math.floor(draw() * passages.length)
  const start = draw()
  const cuts: string[] = []
  for (let missing = count; missing > 0; ) {
    const passage = passages[(first + cuts.length) % passages.length]
    if (passage === undefined) break
    const { text, sentences, wordEnds } = passage
    const sentence = sentences[cuts.length > 0 ? 0 : Math.floor(start * sentences.length)]
    const [offset, word] = sentence ?? [0, 0]
    const last = Math.min(word + missing, wordEnds.length)
    cuts.push(text.slice(offset, wordEnds[last - 1]))
    missing -= last - word
  }
  return cuts.join(' ')
}
