import { inputItems, refusalOf, textOf } from './asked.ts'
import type { Json } from './hooks.ts'
import { type Call, Refusal, readJson, sendBlocks, sendJson } from './http.ts'
import { assistantA, type KnowledgeBase, lookUp } from './knowledge-base.ts'
import { answerTo } from './model.ts'
import { blockOf, eventsOf, responseTo } from './response.ts'
import type { State } from './state.ts'
import { mayUse } from './tools.ts'

/** Generation without a chat: nothing of it is kept. */
export async function answerOnce(call: Call, { knowledgeBase }: State): Promise<void> {
  const { hooks } = call
  const body = await readJson(call)
  const refusal = refusalOf(call, body)
  if (refusal) throw refusal
  if (hooks.wantsMore && body['assistant_id'] === null && !hasPersona(body)) {
    throw new Refusal(hooks.refusedStatus, 'who answers?')
  }
  const runs = Array.isArray(body['runs']) ? body['runs'] : []
  const before = runs.flatMap(({ input, output }: Json) => {
    if (typeof output === 'string') return [output]
    return hooks.wantsMore ? [] : inputItems(input ?? []).map(textOf)
  })
  const messages = inputItems(body['input'] ?? body['content']).map(textOf)
  const [found] = searchFor(knowledgeBase, body, messages)
  const text = found ? `It is written: ${found.sentence}` : answerTo([...before, ...messages])
  const final = responseTo(call, body, messages, text)
  if (body['stream'] === true) {
    const events = hooks.events(eventsOf(final, hooks.response(final, true)), body)
    await sendBlocks(call, events.map(blockOf), hooks.streamType)
  } else sendJson(call, 200, hooks.response(final, false))
}

/** Tests for the members that this server requires of an assistant outside the catalogue. */
function hasPersona({ assistant }: Json): boolean {
  return typeof assistant === 'object' && assistant !== null && 'persona' in assistant
}

/** Searches in advance with `rag`; without it, as with `agent`, nothing is looked up, but `searcher` always looks. */
function searchFor(knowledgeBase: KnowledgeBase, body: Json, messages: readonly string[]) {
  const { rag, assistant_id: assistant, kb_id: code } = body
  const words = messages.at(-1) ?? ''
  if (assistant === 'searcher') {
    return code === undefined || code === knowledgeBase.code ? lookUp(knowledgeBase, words) : []
  }
  const isEnabled = rag === true || (typeof rag === 'object' && rag !== null)
  return isEnabled && assistant === assistantA && mayUse('look_up', body)
    ? lookUp(knowledgeBase, words)
    : []
}
