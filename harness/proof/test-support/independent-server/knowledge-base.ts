/** The one knowledge base, and how something is found in it. */

export interface Paper {
  readonly title: string
  readonly text: string
}

export interface Shelf {
  readonly code: string
  readonly papers: Paper[]
}

export function stockedShelf(): Shelf {
  return { code: 'shelf-17', papers: [bells, ropes] }
}

const bells = {
  title: 'Bells',
  text: 'There are three bells in the yard. The oldest bell hangs on the hawser HAWSER-4471.',
}
const ropes = { title: 'Ropes', text: 'Ropes are aired in spring. Tarred ropes keep for a decade.' }

/** Of the catalogue: one has the shelf at hand, one has not. */
export const archivist = '5d3f6b1e-70a4-4c7b-8f5e-2b9a6c1d4e80'
export const deckhand = 'e9b7c2a4-1f3d-4b6a-9c8e-7d5f0a2b3c41'

export interface Passage {
  readonly paper: string
  readonly sentence: string
  /** Number of words of the question in it. */
  readonly weight: number
}

/** Sentences that share a telling word with the question, the best first. */
export function lookUp({ papers }: Shelf, question: string, most = 3): Passage[] {
  const questionWords = wordsOf(question)
  return papers
    .flatMap(({ title, text }) =>
      text.split(/(?<=[.!?])\s+/).map((sentence) => {
        const words = wordsOf(sentence)
        return {
          paper: title,
          sentence,
          weight: questionWords.filter((word) => words.includes(word)).length,
        }
      }),
    )
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most)
}

const idle = ['what', 'which', 'does', 'that', 'there', 'with', 'tell', 'name']

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\d-]{4,}/gu) ?? []
  return words.filter((word) => !idle.includes(word))
}
