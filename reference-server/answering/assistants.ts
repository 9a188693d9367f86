/** The assistants of the catalogue, and instructions that go by a name. */

export interface CatalogueAssistant {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly instructions: string
  /** The knowledge base that is attached to it; null if there is none. */
  readonly baseId: string | null
}

/** The base that every caller has from the start. */
export const seededBaseId = 'a4f3c8d1-6b25-47e9-8f10-2d9c5e7b3a60'

export const assistants: readonly CatalogueAssistant[] = [
  {
    id: '7d0e4a52-3c1b-4f6e-9a27-5b8c1e90d3f4',
    name: 'Island guide',
    description: 'Answers from the documents about the island of Varnholm',
    instructions: 'You answer questions about the island of Varnholm from its documents.',
    baseId: seededBaseId,
  },
  {
    id: 'c2a91f68-84d7-4be3-b0c5-13f7a6d29e81',
    name: 'Plain helper',
    description: 'Answers without any documents',
    instructions: 'You are a helpful assistant.',
    baseId: null,
  },
]

/** Instructions that `assistant_id` of v2 can name (section 4.2). */
export const namedInstructions: ReadonlyMap<string, string> = new Map([
  ['concise', 'Answer in as few words as the question allows.'],
  ['formal', 'Answer in formal language, without contractions.'],
])
