/** Files and names that scenarios send. */
import type { Session } from '../../harness/conformance/scenario/index.ts'

/** A small text file with the tag of the run, if any, in its name, which begins with the nonce. */
export function buildTextFile(session: Session, nonce = session.nonce(), more = '') {
  const { tag } = session.context.setup
  const { text } = session.prompts.document(`${nonce}${more}`)
  return {
    name: `${nonce}${more}${tag === '' ? '' : `-${tag}`}.txt`,
    type: 'text/plain',
    bytes: new TextEncoder().encode(text),
  }
}

/** First word of the name of a chat, by which a search has to find it. */
export function firstWord(name: string): string {
  return name.split(' ')[0] ?? name
}
