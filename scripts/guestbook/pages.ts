/** The guestbook of the reference server: one page in each language of the generated content. */
import { loadWriters, type Writer } from '../../fixtures/content/writer.ts'
import { type Distribution, drawCount } from '../../harness/load/plan/distribution.ts'
import { drawsOf, hashText } from '../../harness/load/plan/random.ts'

export interface GuestbookPage {
  readonly filename: string
  /** Markdown. */
  readonly text: string
  /** Question of that language whose answer only this page has. */
  readonly question: string
}

export async function guestbookPages(): Promise<readonly GuestbookPage[]> {
  return (await loadWriters()).map(pageOf)
}

const seed = 'guestbook'

/** Sentences of a page: spread as the words of a prompt in a load run (docs/load.md). */
const length: Distribution = { kind: 'lognormal', median: 8, sigma: 0.6, max: 40 }

function pageOf(writer: Writer, index: number): GuestbookPage {
  const { document, isSpaced, locale } = writer.language
  const chatter = chatterOf(writer).join(isSpaced ? ' ' : '')
  const values = { ref: `HARBOUR-${101 + index * 17}` }
  const about = (text: string) => writer.say([text], seed, values)
  return {
    filename: `${locale.toLowerCase().replace('_', '-')}.md`,
    text: `# ${about(document.title)}\n\n${about(document.fact)}\n\n${chatter}\n`,
    question: about(document.ask),
  }
}

/** Sentences that differ from each other. */
function chatterOf({ language, say }: Writer): string[] {
  const count = drawCount(length, drawsOf(hashText(`${seed}/${language.locale}`), 0), 1)
  const drawn = Array.from({ length: count }, (_, at) => say(language.chatter, `${seed}/${at}`))
  return [...new Set(drawn)]
}
