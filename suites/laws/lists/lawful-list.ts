/** A list under conditions: its requests, and the requirements that its pages decide. */
import type { RequirementId } from '../../../contract/index.ts'
import type { Exchange, ListWalk, Row } from '../../../harness/conformance/scenario/index.ts'
import type { Plan, Trial } from '../trials.ts'
import type { Caller } from './members.ts'

export type Query = Readonly<Record<string, string | number>>

export interface LeftOut {
  readonly texts: readonly string[]
  readonly requirement: RequirementId
}

export type ListOperation = 'v3.chats' | 'v3.attachments' | 'v3.chatAttachments'

export interface LawfulList<O extends ListOperation>
  extends Pick<Plan<O>, 'operation' | 'edits' | 'always' | 'guesses' | 'shownByLaws'> {
  readonly requirements: Readonly<Record<'listed' | 'found' | 'limited' | 'paged', RequirementId>>
  /** Elements that a request excludes, and the requirement that it keeps the others. */
  readonly leavesOut?: (row: Row) => LeftOut | undefined
  /** Further elements of the first caller that a search for the word finds. */
  readonly alike?: readonly string[]
  readonly arrange?: (row: Row) => Promise<void>
  list(query: Query, options: Caller): Promise<Exchange>
  /** Reads the list until it shows these texts or the time limit expires. */
  read(query: Query, texts: readonly string[], caller: Caller): Promise<ListWalk>
  /** Number of elements of a page, as far as they are recognizable. */
  sizeOf(page: Exchange, texts: readonly string[]): number
  shows(page: Exchange, text: string): boolean
  /** The part of a page that shows its elements; all of it by default. */
  bodyOf?(page: Exchange): unknown
  /** Further laws of a walk. */
  also?(trial: Trial, walk: ListWalk): void
}
