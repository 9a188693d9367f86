/** A list under conditions, and its elements that a scenario creates, by caller and by the kind of word with which their names begin. */
import type { RequirementId } from '../../../contract/index.ts'
import {
  type Exchange,
  type ListWalk,
  type Row,
  type Scenario,
  succeeded,
} from '../../../harness/conformance/scenario/index.ts'
import { type Caller, secondCaller } from '../../support/credentials.ts'
import type { Plan, Trial } from '../conditions/plan.ts'

const kinds = ['word', 'digits', 'beyond ASCII', 'beyond the BMP'] as const
export type Kind = (typeof kinds)[number]

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
  list(query: Query, caller: Caller): Promise<Exchange>
  /** Reads the list until it shows these texts or the time limit expires. */
  read(query: Query, texts: readonly string[], caller: Caller): Promise<ListWalk>
  /** Number of elements of a page, as far as those of others are recognizable. */
  sizeOf?(page: Exchange, texts: readonly string[]): number
  shows(page: Exchange, text: string): boolean
  /** The part of a page that shows its elements; all of it by default. */
  bodyOf?(page: Exchange): unknown
  /** Further laws of a walk. */
  also?(trial: Trial, walk: ListWalk): void
}

/** Elements of a list, by the word with which their names begin, and by caller. */
export type Members = Awaited<ReturnType<typeof membersOf>>

export async function membersOf(
  { session, chats, profile }: Scenario,
  make: (word: string, kind: Kind, caller: Caller) => Promise<readonly string[]>,
) {
  const second = secondCaller(profile)
  const digits = [...session.nonce()].map((letter) => (letter.codePointAt(0) ?? 0) % 10).join('')
  // Kinds that careless code mistakes for something else; none is part of another.
  const words: Readonly<Record<Kind, string>> = {
    word: session.nonce(),
    digits,
    'beyond ASCII': `Größe${session.nonce()}`,
    'beyond the BMP': `𐐨𐐩${session.nonce()}`,
  }
  // A second key is a guess until it was accepted once.
  const hasSecond = second !== undefined && succeeded(await chats.list({}, second))
  const callers: readonly Caller[] = hasSecond ? [{}, second] : [{}]
  const made: { caller: Caller; kind: Kind; texts: readonly string[] }[] = []
  for (const caller of callers) {
    for (const kind of kinds) {
      made.push({ caller, kind, texts: await make(words[kind], kind, caller) })
    }
  }
  const madeFor = ({ authorization }: Caller) =>
    made.filter(({ caller }) => caller.authorization === authorization)
  return {
    words,
    callers,
    /** Texts that identify the elements of a caller: those of a kind, or all. */
    of: (caller: Caller, kind?: string): readonly string[] =>
      madeFor(caller).flatMap((one) => ((kind ?? one.kind) === one.kind ? one.texts : [])),
    /** One element of each kind. */
    firstOf: (caller: Caller): readonly string[] =>
      madeFor(caller).flatMap(({ texts }) => texts.slice(0, 1)),
  }
}

export function editsFor({ words, callers }: Members) {
  return {
    search: Object.fromEntries(kinds.map((kind) => [kind, { search: words[kind] }])) as Readonly<
      Record<Kind, { readonly search: string }>
    >,
    caller: { second: callers.length > 1 ? {} : undefined },
  }
}

/** A first page that is smaller than the list shows whether it was searched, for a word of each kind. */
export const smallPages = [
  { search: 'word', limit: '2', caller: 'second' },
  { search: 'digits', limit: '2' },
  { search: 'beyond ASCII', limit: '2', caller: 'second' },
  { search: 'beyond the BMP', limit: '2' },
] as const satisfies readonly Row[]

/** No row of a list costs a generation: most pairs at depth normal, all of them at full. */
export function rowsAt({ depth, rows }: Pick<Scenario['coverage'], 'depth' | 'rows'>): number {
  return { quick: rows, normal: 20, full: 60 }[depth]
}

/** Small pages of a list that may be long are read in part. */
export function cap({
  search,
  limit,
}: Readonly<Record<string, string | number>>): number | undefined {
  return search === undefined && Number(limit) < 10 ? 4 * Number(limit) : undefined
}
