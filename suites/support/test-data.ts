/** Files, names and forms of generations that scenarios send. */
import type { Session, TargetProfile } from '../../harness/conformance/scenario/index.ts'

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

/** First word of the name of a chat, which a search has to match. */
export function firstWord(name: string): string {
  return name.split(' ')[0] ?? name
}

export interface Form {
  readonly stream: boolean
  readonly think?: true
}

/** Two forms that differ in every dimension, to detect behavior that occurs in only one of them. */
export function formsOf({ capabilities }: Pick<TargetProfile, 'capabilities'>): readonly Form[] {
  return [{ stream: false }, { stream: true, ...withReasoning({ capabilities }) }]
}

/** `think: true` if the profile says that the target has reasoning. */
export function withReasoning({ capabilities }: Pick<TargetProfile, 'capabilities'>): {
  readonly think?: true
} {
  return capabilities.reasoning === true ? { think: true } : {}
}

/** A form, and the kind of its input. */
export interface FormWithInput extends Form {
  readonly ofItems: boolean
}

/** Words for messages; empty for the plain form. */
export function describeForm({ stream, think }: Form): string {
  const parts = [...(stream ? ['stream'] : []), ...(think ? ['with think'] : [])]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}
