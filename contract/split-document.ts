import { createHash } from 'node:crypto'

/** A statement of a document, as `statements` lists it, with its text. */
interface Split {
  readonly section: string
  readonly hash: string
  readonly text: string
}

/** The statements of a Markdown document: list items, rows of tables, sentences of paragraphs. */
export function splitDocument(document: string): readonly Split[] {
  const found: Split[] = []
  let section = '0'
  let paragraph: string[] = []
  let tableRows = 0

  const add = (raw: string): void => {
    const text = raw.replace(/\s+/g, ' ').trim()
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 8)
    found.push({ section, hash, text })
  }
  const endParagraph = (): void => {
    if (paragraph.length > 0) paragraph.join(' ').split(sentenceEnd).forEach(add)
    paragraph = []
  }

  for (const line of document.split('\n')) {
    const item = /^\s*(?:[-*]|\d+\.)\s+(.*)$/.exec(line)?.[1]
    const inTable = line.startsWith('|')
    tableRows = inTable ? tableRows + 1 : 0
    const isText = !line.startsWith('#') && !inTable && item === undefined && line.trim() !== ''
    if (isText) {
      paragraph.push(line)
      continue
    }
    endParagraph()
    section = /^#+ (\d+(?:\.\d+)?)/.exec(line)?.[1] ?? section
    if (item !== undefined) add(item)
    // The first two rows are the table header and its delimiter row.
    if (tableRows > 2) add(line)
  }
  endParagraph()
  return found
}

const sentenceEnd = /(?<=\.)\s+(?=[A-Z`])/
