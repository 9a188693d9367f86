/** The one knowledge base, and how something is found in it. */

export interface Paper {
  readonly title: string
  readonly text: string
}

export interface KnowledgeBase {
  readonly code: string
  readonly papers: Paper[]
}

export function createKnowledgeBase(): KnowledgeBase {
  return { code: 'shelf-17', papers: [bells, ropes] }
}

const bells = {
  title: 'Bells',
  text: 'There are three bells in the yard. The oldest bell hangs on the hawser HAWSER-4471.',
}
const ropes = { title: 'Ropes', text: 'Ropes are aired in spring. Tarred ropes keep for a decade.' }

/** Assistants of the catalogue: the first uses the knowledge base. */
export const assistantA = '5d3f6b1e-70a4-4c7b-8f5e-2b9a6c1d4e80'
export const assistantB = 'e9b7c2a4-1f3d-4b6a-9c8e-7d5f0a2b3c41'

export interface Passage {
  readonly paper: string
  readonly sentence: string
  /** Number of words of the question in it. */
  readonly weight: number
}

/** Sentences that share a telling word with the question, the best first. */
export function lookUp({ papers }: KnowledgeBase, question: string, maxPassages = 3): Passage[] {
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
    .slice(0, maxPassages)
}

const idle = ['what', 'which', 'does', 'that', 'there', 'with', 'tell', 'name']

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\d-]{4,}/gu) ?? []
  return words.filter((word) => !idle.includes(word))
}
