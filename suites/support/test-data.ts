/** Models and files that scenarios send. */
import type { Session, TargetProfile } from '../../harness/conformance/scenario/index.ts'

/**
 * The accepted ids of the main model (section 2.1) that no other scenario uses; its first id, which
 * all of them use, where it has no other.
 */
export function modelAliases({ models }: TargetProfile): readonly string[] {
  const { main, aliases } = models
  return aliases.length > 0 ? aliases : [main]
}

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

export function visionModels({ models }: TargetProfile): readonly string[] {
  return [models.vision]
}

/** First word of the name of a chat, by which a search has to find it. */
export function firstWord(name: string): string {
  return name.split(' ')[0] ?? name
}
