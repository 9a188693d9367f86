/** Names of chats: how a body may show one, and the titles that chats give themselves (section 2.5). */
import {
  answerJson,
  type Chat,
  type Exchange,
  leavesOf,
  type Scenario,
  succeeded,
} from '../../harness/conformance/scenario/index.ts'

/** Tests if a body shows a name; the document says nothing about its white space and its normalization form. */
export function showsName(body: unknown, name: string): boolean {
  const text = inOneSpacing(name)
  return leavesOf(body).some(
    ({ value }) => typeof value === 'string' && inOneSpacing(value).includes(text),
  )
}

/** A name as it was sent, on one line, composed, and with single spaces. */
export function spellingsOf(name: string): readonly string[] {
  return [name, name.replaceAll('\n', ' '), name.normalize(), inOneSpacing(name)]
}

function inOneSpacing(text: string): string {
  return text.normalize().replaceAll(/\s+/g, ' ').trim()
}

/**
 * The title that a chat has given itself: another text in the place of the name that a new chat shows. Undefined if
 * the chat has kept its name, or lost it.
 */
export async function ownTitle(
  { v3, chats }: Scenario,
  read: Exchange,
  chat: Chat,
): Promise<string | undefined> {
  const body = answerJson(read)
  if (!succeeded(read) || showsName(body, chat.name)) return undefined
  const other = await v3.createChat()
  const ofOther = leavesOf(answerJson(await chats.get(other.id, { role: 'control' })))
  const place = ofOther.find(({ value }) => value === other.name)?.path.join()
  const title = leavesOf(body).find(({ path }) => path.join() === place)?.value
  const isTitle = typeof title === 'string' && /\p{L}/u.test(title) && title !== other.name
  return isTitle ? title : undefined
}

/** First word of the name of a chat, which a search has to match. */
export function firstWord(name: string): string {
  return name.split(/\s/)[0] ?? name
}
