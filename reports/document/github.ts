import { doubtText, isEdited } from '../text/digest.ts'
import { annotation, clean } from '../text/escape.ts'
import { type Document, type Item, plainText, type Tone } from './document.ts'

const levels = {
  pass: 'notice',
  warn: 'warning',
  fail: 'error',
  unproven: 'error',
  none: 'error',
} as const satisfies Record<Tone, string>

/**
 * Annotations as GitHub Actions reads them from the output of a step: the outcome, an error for each item
 * that failed or is undecided and a warning for each doubtful one, without the details.
 */
export function toGitHub({ kind, outcome, sealed = {}, sections }: Document): string {
  const doubt = doubtText(sealed)
  const items = sections
    .filter(({ detail }) => detail !== 'verbose')
    .flatMap(({ blocks }) => blocks.flatMap((block) => ('items' in block ? block.items : [])))
  const lines = [
    ...(doubt === null ? [] : [annotation(isEdited(sealed) ? 'error' : 'warning', kind, doubt)]),
    annotation(levels[outcome.tone], kind, `${outcome.word}: ${clean(outcome.text)}`),
    ...items.flatMap((item) => annotationOf(item)),
  ]
  return `${lines.join('\n')}\n`
}

function annotationOf({ badge, text, notes = [] }: Item): readonly string[] {
  const { tone = 'none', word = '' } = badge ?? {}
  if (tone === 'pass' || tone === 'none') return []
  const message = [text, ...notes].map((part) => clean(plainText(part))).join('\n')
  return [annotation(levels[tone], word, message)]
}
