/** Answer from search hits: quotes the best hit and names its document. */
import type { SearchHit } from '../retrieval/types.ts'
import type { Citation } from './types.ts'

export interface Quotation {
  readonly text: string
  readonly citations: readonly Citation[]
}

/** @returns undefined without hits */
export function quotation(hits: readonly SearchHit[]): Quotation | undefined {
  const [first, ...others] = hits.toSorted((a, b) => b.score - a.score)
  if (first === undefined) return undefined
  const text = `${first.filename} says: ${oneLine(first.text)}`
  const citations = [citation(first, text.length)]
  const other = others.find(({ fileId }) => fileId !== first.fileId)
  if (other === undefined) return { text, citations }
  const longer = `${text} See also ${other.filename}.`
  return { text: longer, citations: [...citations, citation(other, longer.length)] }
}

function citation({ fileId, filename }: SearchHit, index: number): Citation {
  return { fileId, filename, index }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
