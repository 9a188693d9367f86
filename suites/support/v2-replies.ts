import {
  type Exchange,
  type Session,
  succeeded,
  type V2Api,
} from '../../harness/conformance/scenario/index.ts'

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
export async function replyToUnanswered(
  v2: V2Api,
  { prompts }: Pick<Session, 'prompts'>,
  accepted: Body,
): Promise<SendReply> {
  const unanswered = async (): Promise<Body> => {
    const chat = await v2.chat()
    const stored = await v2.message(v2.messageBody(chat, prompts.otherBrief()))
    return succeeded(stored) ? v2.generateBody(chat, v2.storedId(stored)) : accepted
  }
  let body = await unanswered()
  return async (edit, options = {}) => {
    const answer = await v2.generate(edit(body), { role: 'negative', ...options })
    if (succeeded(answer)) body = await unanswered()
    return answer
  }
}
