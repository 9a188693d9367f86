import { isObject } from '../../../contract/index.ts'
import { promptOf } from './prompt.ts'
import { succeeded, type Transaction, type TransactionContext } from './transaction.ts'

/** Section 4.3: a turn in a fresh chat. */
export const v3Stream: Transaction = (speaker) => turnInFreshChat(speaker, 'stream')
export const v3Json: Transaction = (speaker) => turnInFreshChat(speaker, 'json')

export const oneShotStream: Transaction = (speaker) => oneShot(speaker, 'stream')
export const oneShotJson: Transaction = (speaker) => oneShot(speaker, 'json')

/** Turns in one chat, each the parent of the next: its context grows from turn to turn. */
export const v3Chat: Transaction = async (speaker) => {
  const chat = await speaker.freshChat()
  if (chat === undefined) return
  let parent: string | undefined
  for (let turn = 0; turn < speaker.arrival.turns; turn += 1) {
    if (turn > 0) await speaker.pause(speaker.arrival.thinkNs[turn - 1] ?? 0)
    const link = parent === undefined ? {} : { parent_id: parent }
    const landing = await speaker.send({
      operation: 'v3.generate',
      form: 'stream',
      json: { chat_id: chat, stream: true, ...settingsOf(speaker, turn), ...link },
      headers: { 'idempotency-key': speaker.uuid() },
    })
    if (!succeeded(landing)) return
    parent = landing.id
  }
}

/** The history of a chat from its first page to its last. */
export const v3History: Transaction = async (speaker) => {
  const chat = await speaker.historyChat()
  if (chat === undefined) return
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const query = { chat_id: chat, limit: String(pageSize) }
    const landing = await speaker.send({
      operation: 'v3.history',
      form: 'json',
      query: cursor === undefined ? query : { ...query, cursor },
    })
    const pagination = isObject(landing.json) ? landing.json['pagination'] : undefined
    const next = isObject(pagination) ? pagination['cursor'] : undefined
    if (!succeeded(landing) || typeof next !== 'string' || next === cursor) return
    cursor = next
  }
}

/** Small, so that a short history has several pages. */
const pageSize = 2
/** A cursor that leads in a circle ends here. */
const maxPages = 50

async function turnInFreshChat(
  speaker: TransactionContext,
  form: 'stream' | 'json',
): Promise<void> {
  const chat = await speaker.freshChat()
  if (chat === undefined) return
  const step = {
    operation: 'v3.generate',
    form,
    json: { chat_id: chat, stream: form === 'stream', ...settingsOf(speaker) },
    headers: { 'idempotency-key': speaker.uuid() },
  } as const
  if (!speaker.arrival.race) {
    await speaker.send(step)
    return
  }
  const [first, second] = await speaker.sendTwice(step)
  if (!succeeded(first) && !succeeded(second)) return
  const history = await speaker.send({
    operation: 'v3.history',
    form: 'json',
    query: { chat_id: chat },
  })
  speaker.recordRace({ turns: userTurns(history.json, speaker.arrival.nonce), history })
}

async function oneShot(speaker: TransactionContext, form: 'stream' | 'json'): Promise<void> {
  await speaker.send({
    operation: 'v3.oneShot',
    form,
    json: { stream: form === 'stream', ...settingsOf(speaker) },
  })
}

function settingsOf({ arrival, entry, target }: TransactionContext, turn = 0) {
  const { answerTokens } = arrival
  return {
    ...target.generate,
    model_id: entry.model ?? target.model,
    input: promptOf(arrival, entry, target.recall, turn),
    ...(entry.think === null ? {} : { think: entry.think }),
    ...(entry.rag === null ? {} : { rag: entry.rag }),
    ...(entry.rag === null || target.assistant === null ? {} : { assistant_id: target.assistant }),
    ...(answerTokens === null ? {} : { max_tokens: answerTokens }),
  }
}

/** Messages of a user with this nonce in them; null where there is no history to read. */
function userTurns(history: unknown, nonce: string): number | null {
  const rows = isObject(history) ? history['result'] : undefined
  if (!Array.isArray(rows)) return null
  return rows.filter((row) => {
    const item = isObject(row) ? row['item'] : undefined
    return isObject(item) && item['role'] === 'user' && JSON.stringify(item).includes(nonce)
  }).length
}
