import {
  answerText,
  assume,
  type Exchange,
  expect,
  isDeclined,
  type ScenarioContext,
  type Session,
  sendAtOnce,
  succeeded,
  type V2Api,
} from '../../harness/conformance/scenario/index.ts'
import type { Recall } from './recall.ts'

type Body = Readonly<Record<string, unknown>>
type SendReply = (
  edit: (body: Body) => Body,
  options?: { readonly authorization?: string | null },
) => Promise<Exchange>

/**
 * Sends generations that must be refused, each for a message without a reply: a server may allow one reply to a
 * message and refuse a second one regardless of other mistakes. The accepted generation is sent if no other
 * message is stored.
 */
export function replyToUnanswered(
  v2: V2Api,
  { prompts }: Pick<Session, 'prompts'>,
  accepted: Body,
): SendReply {
  const unanswered = async (more: Body): Promise<Body> => {
    // The first of them is the second generation of its chat.
    const chat = sent === 1 ? String(accepted['chat_id']) : await v2.chat()
    const stored = await v2.message(v2.messageBody(chat, prompts.otherBrief(), more))
    return succeeded(stored) ? v2.generateBody(chat, v2.storedId(stored)) : accepted
  }
  const messages: readonly Body[] = [{}, { think: true, rag: 'agent' }]
  const bodies: (Body | undefined)[] = []
  let sent = 0
  return async (edit, options = {}) => {
    const at = sent % messages.length
    sent += 1
    const body = bodies[at] ?? (await unanswered(messages[at] ?? {}))
    const answer = await v2.generate(edit(body), { role: 'negative', ...options })
    bodies[at] = succeeded(answer) ? undefined : body
    return answer
  }
}

/** The reply to a message while a question is asked in another chat: they know nothing of each other. */
export async function replyBesideOtherChat(
  { v2, claim, session, prompts }: Pick<ScenarioContext, 'v2' | 'claim' | 'session' | 'prompts'>,
  chat: string,
  { fact: own, ask }: Pick<Recall, 'fact' | 'ask'>,
  reply: (options: object) => Promise<Exchange>,
): Promise<Exchange> {
  const other = await v2.chat()
  if (other === chat) return reply({})
  const reference = session.nonce()
  const { id } = await v2.storeOk(other, prompts.note(reference))
  // The same question as in the first chat.
  const question = await v2.storeOk(other, ask, { parent_id: id })
  const body = v2.generateBody(other, question.id)
  const [first, answer] = await sendAtOnce(session, reply, (options) =>
    v2.generate(body, { role: 'act', ...options }),
  )
  assume(first && answer, 'a request is missing')
  for (const [one, fact] of [
    [first, reference],
    [answer, own],
  ] as const) {
    if (isDeclined(one)) continue
    const text = expect(answerText(one), 'the answer in another chat')
    claim('V2-CTX-02', () => text.not.toContain(fact), one)
  }
  return isDeclined(first) ? reply({}) : first
}
