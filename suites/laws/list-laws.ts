/** Laws of a list: pages of any size show each element once, for any search and caller. */
import type { RequirementId } from '../../contract/index.ts'
import {
  type Exchange,
  expect,
  expectAccepted,
  isConclusive,
  type ListWalk,
  type ScenarioContext,
  type Session,
  succeeded,
} from '../../harness/conformance/scenario/index.ts'
import { set } from './edits.ts'
import { type Body, describeRow, type Edits, plain, type Trial, tryConditions } from './trials.ts'

/** No row of a list costs a generation: most pairs at depth normal, all of them at full. */
export function rowsAt({
  depth,
  rows,
}: Pick<ScenarioContext['coverage'], 'depth' | 'rows'>): number {
  return { quick: rows, normal: 24, full: 48 }[depth]
}

/** Small pages of a list that may be long are read in part. */
export function cap({ search, limit }: Query): number | undefined {
  return search === undefined && Number(limit) < 10 ? 4 * Number(limit) : undefined
}

const kinds = ['word', 'digits', 'beyond ASCII', 'beyond the BMP'] as const
type Kind = (typeof kinds)[number]
type Query = Readonly<Record<string, string | number>>
type Caller = { readonly authorization?: string }

/** Elements of a list, by the word with which their names begin, and by caller. */
interface Members {
  readonly words: Readonly<Record<Kind, string>>
  readonly hasSecond: boolean
  callerOf(isSecond: boolean): Caller
  /** Texts by which the elements of a caller are found: those of a kind, or all. */
  of(isSecond: boolean, kind?: string): readonly string[]
}

export async function membersOf(
  { session, chats, profile: { otherKey } }: Pick<ScenarioContext, 'session' | 'chats' | 'profile'>,
  make: (word: string, kind: Kind, caller: Caller) => Promise<readonly string[]>,
): Promise<Members> {
  const callerOf = (isSecond: boolean): Caller =>
    isSecond ? { authorization: `Bearer ${otherKey}` } : {}
  const words = wordsOf(session)
  // A second key is a guess until it was accepted once.
  const hasSecond = otherKey !== undefined && succeeded(await chats.list({}, callerOf(true)))
  const made: { isSecond: boolean; kind: Kind; texts: readonly string[] }[] = []
  for (const isSecond of hasSecond ? [false, true] : [false]) {
    for (const kind of kinds) {
      made.push({ isSecond, kind, texts: await make(words[kind], kind, callerOf(isSecond)) })
    }
  }
  return {
    words,
    hasSecond,
    callerOf,
    of: (isSecond, kind) =>
      made
        .filter((one) => one.isSecond === isSecond && (kind ?? one.kind) === one.kind)
        .flatMap(({ texts }) => texts),
  }
}

/** Words of kinds that careless code takes for something else; none of them is a part of another. */
function wordsOf(session: Session): Readonly<Record<Kind, string>> {
  const digits = [...session.nonce()].map((letter) => (letter.codePointAt(0) ?? 0) % 10).join('')
  return {
    word: session.nonce(),
    digits,
    'beyond ASCII': `Größe${session.nonce()}`,
    'beyond the BMP': `𐐨𐐩${session.nonce()}`,
  }
}

export function editsFor({ words, hasSecond }: Members): Edits<'v3.chats'> {
  return {
    search: {
      word: set({ search: words.word }),
      digits: set({ search: words.digits }),
      'beyond ASCII': set({ search: words['beyond ASCII'] }),
      'beyond the BMP': set({ search: words['beyond the BMP'] }),
    },
    limit: {
      '1': set({ limit: 1 }),
      '2': set({ limit: 2 }),
      '10': set({ limit: 10 }),
      '11': set({ limit: 11 }),
      '20': set({ limit: 20 }),
      '21': set({ limit: 21 }),
      '50': set({ limit: 50 }),
    },
    // A chat is that of the first caller.
    caller: { second: hasSecond ? ({ chat_id: _, ...query }) => query : undefined },
  }
}

interface LawfulList<O extends 'v3.chats' | 'v3.attachments'> {
  readonly operation: O
  readonly edits: Edits<O>
  readonly requirements: Readonly<Record<'listed' | 'found' | 'limited' | 'paged', RequirementId>>
  list(query: Query, options: Caller & { readonly role: 'act' }): Promise<Exchange>
  /** Reads the list until it shows these, for as long as it may take. */
  read(query: Query, texts: readonly string[], caller: Caller): Promise<ListWalk>
  /** Elements of a page, as far as they can be told. */
  sizeOf(page: Exchange, texts: readonly string[]): number
  shows(page: Exchange, text: string): boolean
  /** Further laws of a walk. */
  also?(trial: Trial, walk: ListWalk): void
}

export async function claimLists<O extends 'v3.chats' | 'v3.attachments'>(
  { claim, session, coverage }: Pick<ScenarioContext, 'claim' | 'session' | 'coverage'>,
  members: Members,
  list: LawfulList<O>,
): Promise<void> {
  const laws = new LawsOfList({ claim, session }, members, list)
  await tryConditions(
    { claim, session, coverage: { ...coverage, rows: rowsAt(coverage) } },
    {
      operation: list.operation,
      accepts: list.requirements.listed,
      base: () => ({}),
      edits: list.edits,
      send: (query, row) =>
        list.list(queryOf(query), { role: 'act', ...members.callerOf(row['caller'] === 'second') }),
      laws: [(trial) => laws.claim(trial)],
    },
  )
}

type Claiming = Pick<ScenarioContext, 'claim' | 'session'>
type Claimed = Omit<LawfulList<'v3.chats'>, 'operation' | 'edits'>

class LawsOfList {
  readonly #context: Claiming
  readonly #members: Members
  readonly #list: Claimed
  /** Searches that find everything without a limit, by kind and caller. */
  readonly #found = new Map<string, boolean>()
  readonly #broken = new Set<RequirementId>()

  constructor(context: Claiming, members: Members, list: Claimed) {
    this.#context = context
    this.#members = members
    this.#list = list
  }

  async claim(trial: Trial): Promise<void> {
    const { row, body } = trial
    const isSecond = row['caller'] === 'second'
    const query = queryOf(body)
    const kind = row['search'] === plain ? undefined : row['search']
    const texts = this.#members.of(isSecond, kind)
    if (kind !== undefined && !(await this.#isFound(kind, isSecond))) return
    const { listed, paged } = this.#list.requirements
    const requirement = row['limit'] === plain ? listed : paged
    // What is missing once is waited for each time.
    if (this.#broken.has(requirement)) return
    const walk = await this.#list.read(query, texts, this.#members.callerOf(isSecond))
    this.#claimSizes(trial, walk, texts)
    this.#list.also?.(trial, walk)
    // Two conditions at once show nothing of either.
    if (body['chat_id'] !== undefined || !succeeded(walk.pages[0])) return
    // Other scenarios change the whole list meanwhile, of which small pages are read in part.
    if (kind !== undefined || (!isSecond && cap(query) === undefined))
      this.#claimShown(requirement, texts, walk, describeRow(row))
    if (kind !== undefined) this.#claimSearched(trial, texts, walk)
  }

  /** Pages show something only of a search that finds everything without a limit. */
  async #isFound(kind: string, isSecond: boolean): Promise<boolean> {
    const key = `${kind} ${isSecond}`
    const earlier = this.#found.get(key)
    if (earlier !== undefined) return earlier
    const texts = this.#members.of(isSecond, kind)
    const search = this.#members.words[kind as Kind]
    const { read, requirements } = this.#list
    const walk = await read({ search }, texts, this.#members.callerOf(isSecond))
    const isFound = this.#claimShown(requirements.found, texts, walk, `search=${search}`)
    this.#found.set(key, isFound)
    return isFound
  }

  #claimShown(
    requirement: RequirementId,
    texts: readonly string[],
    walk: ListWalk,
    under: string,
  ): boolean {
    const { claim, session } = this.#context
    const missing = texts.filter((text) => walk.pagesWith(text).length === 0)
    if (missing.length > 0 && succeeded(walk.pages[0]) && !isConclusive(walk, texts)) {
      session.markUndecided('inconclusive', [requirement], noCursor)
      return false
    }
    const what = `elements that the list does not show (${under})`
    const isShown = claim(
      requirement,
      () => {
        expectAccepted(walk, 'the list')
        expect(missing, what).toEqual([])
      },
      ...walk.pages.slice(0, 5),
    )
    if (!isShown) this.#broken.add(requirement)
    return isShown
  }

  #claimSearched({ row, body, answer }: Trial, texts: readonly string[], walk: ListWalk): void {
    const { claim } = this.#context
    const { found, paged } = this.#list.requirements
    if (row['limit'] === plain) return
    if (Number(body['limit']) > 1) {
      const isShown = texts.some((text) => this.#list.shows(answer, text))
      const what = `the first page of a search shows what it seeks (${describeRow(row)})`
      claim(found, () => expect(isShown, what).toBe(true), answer)
    }
    if (!walk.complete) return
    const repeated = texts.filter((text) => walk.pagesWith(text).length > 1)
    const what = `elements on several pages (${describeRow(row)})`
    claim(paged, () => expect(repeated, what).toEqual([]), ...walk.pages.slice(0, 5))
  }

  #claimSizes({ row, body, answer }: Trial, walk: ListWalk, texts: readonly string[]): void {
    const { shows, sizeOf, requirements } = this.#list
    if (row['limit'] === plain) return
    for (const page of [answer, ...walk.pages]) {
      const ours = texts.filter((text) => shows(page, text)).length
      const size = () =>
        expect(
          Math.max(ours, sizeOf(page, texts)),
          `rows of a page (${describeRow(row)})`,
        ).toBeLessThanOrEqual(Number(body['limit']))
      this.#context.claim(requirements.limited, size, page)
    }
  }
}

const noCursor = 'no cursor was found to follow the list to its end: say it in shapes'

function queryOf(query: Body): Query {
  return query as Query
}
