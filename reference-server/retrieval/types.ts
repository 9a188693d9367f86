/** Documents, search plans and hits, free of any wire format. */

/** A document as text, whatever its original format. Immutable; times in Unix milliseconds. */
export interface KnowledgeDocument {
  readonly id: string
  readonly filename: string
  readonly contentType: string
  /** Bytes of the upload. */
  readonly size: number
  readonly text: string
  readonly createdAt: number
}

/** A piece of a document, which is compared with a query and quoted. */
export interface Chunk {
  readonly fileId: string
  readonly filename: string
  /** Heading of the text, or the name of its file. */
  readonly heading: string
  readonly text: string
}

export interface SearchHit {
  readonly fileId: string
  readonly filename: string
  /** 0 to 1. */
  readonly score: number
  readonly text: string
}

export interface SearchPlan {
  readonly type: 'hybrid' | 'dense' | 'sparse'
  /** Minimum score of a hit, 0 to 1. */
  readonly threshold: number
  readonly limit: number
  /** Ranks the best hits again, word by word. */
  readonly rerank: boolean
  /** Shortens each hit to the sentence most similar to the query. */
  readonly summarize: boolean
}

/** Pure: the same documents, query and plan give the same hits, best first. */
export type Retrieval = (
  bases: readonly (readonly KnowledgeDocument[])[],
  query: string,
  plan: SearchPlan,
) => readonly SearchHit[]

/** A ranking method prepared for some chunks: scores from 0 to 1, best first, without zeros. */
export type Ranker = (query: string) => readonly Scored[]

export interface Scored {
  readonly chunk: Chunk
  readonly score: number
}
