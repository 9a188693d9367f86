/** Laws of a list: pages of any size show each element once, for any search and caller. */
import { type RequirementId, someValue } from '../../../contract/index.ts'
import {
  answerJson,
  cursorIn,
  describeRow,
  type Exchange,
  expect,
  expectAccepted,
  isConclusive,
  type ListWalk,
  plain,
  type Row,
  repeatedIn,
  type Scenario,
  staysVisible,
  succeeded,
} from '../../../harness/conformance/scenario/index.ts'
import type { Trial } from '../conditions/plan.ts'
import { tryConditions } from '../conditions/trials.ts'
import {
  cap,
  type Kind,
  type LawfulList,
  type LeftOut,
  type ListOperation,
  type Members,
  noCursor,
  onlyOf,
  type Query,
  rowsAt,
  smallPages,
} from './members.ts'

export async function claimLists<O extends ListOperation>(
  { claim, session, coverage }: Scenario,
  members: Members,
  list: LawfulList<O>,
): Promise<void> {
  const laws = new LawsOfList({ claim, session }, members, list)
  await tryConditions(
    { claim, session, coverage: { ...coverage, rows: rowsAt(coverage) } },
    {
      ...list,
      accepts: list.requirements.listed,
      steady: list.requirements.listed,
      // Few rows need several pages.
      telling: { limit: ['1', '2'] },
      always: [...smallPages, ...(list.always ?? [])],
      async base(row) {
        await list.arrange?.(row)
        return {}
      },
      send: (query, row) => list.list(query as Query, members.callerOf(row['caller'] === 'second')),
      laws: [{ law: (_, trial) => laws.claim(trial) }],
    },
  )
}

type Claimed = Omit<LawfulList<ListOperation>, 'operation' | 'edits'>

class LawsOfList {
  readonly #context: Scenario
  readonly #members: Members
  readonly #list: Claimed
  /** True for searches that find everything without a limit, by kind and caller. */
  readonly #found = new Map<string, boolean>()
  readonly #broken = new Set<RequirementId>()
  /** Searches that were waited for. */
  readonly #settled = new Set<string>()
  /** True once elements that prove nothing were awaited in vain. */
  #isVain = false

  constructor(context: Scenario, members: Members, list: Claimed) {
    this.#context = context
    this.#members = members
    this.#list = list
  }

  async claim(trial: Trial): Promise<void> {
    const { row, body } = trial
    const isSecond = row['caller'] === 'second'
    const query = body as Query
    const kind = row['search'] === plain ? undefined : row['search']
    const leftOut = this.#list.leavesOut?.(row)
    const all = this.#members.of(isSecond, kind)
    // Names of a kind may be refused.
    if (all.length === 0) return
    const texts = all.filter((text) => leftOut?.texts.includes(text) !== true)
    if (kind !== undefined && !(await this.#isFound(trial, kind, isSecond))) return
    const { listed, paged } = this.#list.requirements
    const whole = leftOut?.requirement ?? listed
    const requirement = isUnlimited(row) ? whole : paged
    // A missing element would be awaited each time.
    if (this.#broken.has(requirement) || (leftOut && this.#broken.has(whole))) return
    // Other scenarios change the whole list at the same time, and small pages of it are only read in part.
    const isOwn = isSecond && query['chat_id'] === undefined
    const isEvidence = kind !== undefined || (!isOwn && cap(query) === undefined)
    const awaited = isEvidence || !this.#isVain ? texts : []
    const walk = await this.#list.read(query, awaited, this.#members.callerOf(isSecond))
    if (!isEvidence) this.#isVain ||= texts.some((text) => walk.pagesWith(text).length === 0)
    this.#claimSizes(trial, walk, texts)
    this.#list.also?.(trial, walk)
    if (!succeeded(walk.pages[0]) || !(await this.#isJoined(query, isSecond))) return
    if (isEvidence) this.#claimShown(requirement, texts, walk, describeRow(row))
    await this.#claimSteady(trial, texts, walk, requirement)
    if (kind !== undefined) this.#claimSearched(trial, texts, walk, leftOut)
  }

  /** First pages of a search whose elements were found before they were requested. */
  #firstPages({ row, answer }: Trial, walk: ListWalk): readonly Exchange[] {
    const { search, caller, chat_id, exclude_favorites } = row
    const key = [search, caller, chat_id, exclude_favorites].join()
    const isSettled = this.#settled.has(key)
    this.#settled.add(key)
    const pages = walk.pages.slice(0, 1)
    return isSettled ? [answer, ...pages] : pages
  }

  /** Pages of a search are evidence only if it finds everything without a limit. */
  async #isFound(trial: Trial, kind: string, isSecond: boolean): Promise<boolean> {
    const key = `${kind} ${isSecond}`
    const earlier = this.#found.get(key)
    if (earlier !== undefined) return earlier
    if (this.#broken.has(this.#list.requirements.found)) return false
    const texts = this.#members.of(isSecond, kind)
    const search = this.#members.words[kind as Kind]
    const { read, requirements, alike = [] } = this.#list
    const others = kind === 'word' && !isSecond ? alike : []
    const walk = await read({ search }, [...texts, ...others], this.#members.callerOf(isSecond))
    const isFound = this.#claimShown(requirements.found, texts, walk, `search=${search}`)
    if (isFound) this.#claimShown(requirements.listed, others, walk, `search=${search}`)
    const row = onlyOf(trial.row, 'search', 'caller')
    this.#list.also?.({ ...trial, row, body: { search }, answer: walk.pages[0] }, walk)
    this.#found.set(key, isFound)
    return isFound
  }

  /** A search in a chat is evidence only if the chat shows its files. */
  async #isJoined({ chat_id }: Query, isSecond: boolean): Promise<boolean> {
    if (chat_id === undefined) return true
    const earlier = this.#found.get(`chat ${isSecond}`)
    if (earlier !== undefined) return earlier
    const texts = this.#members.of(isSecond)
    const walk = await this.#list.read({ chat_id }, texts, this.#members.callerOf(isSecond))
    const isJoined = texts.every((text) => walk.pagesWith(text).length > 0)
    this.#found.set(`chat ${isSecond}`, isJoined)
    return isJoined
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
    const all = () => {
      expectAccepted(walk, 'the list')
      expect(missing, what).toEqual([])
    }
    const isShown = claim(requirement, all, walk)
    if (!isShown) this.#broken.add(requirement)
    return isShown
  }

  #claimSearched(
    trial: Trial,
    texts: readonly string[],
    walk: ListWalk,
    leftOut: LeftOut | undefined,
  ): void {
    const { claim } = this.#context
    const { found, paged } = this.#list.requirements
    const { row, body } = trial
    const { alike = [], shows } = this.#list
    const isLost = leftOut && texts.some((text) => walk.pagesWith(text).length === 0)
    for (const first of this.#firstPages(trial, walk)) {
      if (isLost || (!isUnlimited(row) && Number(body['limit']) <= 1)) break
      // An empty page may have a cursor to those with elements.
      if (walk.pages.length > 1 && !hasElements(first)) continue
      const isShown = [...texts, ...alike].some((text) => shows(first, text))
      const what = `the first page of a search shows what it seeks (${describeRow(row)})`
      claim(found, () => expect(isShown, what).toBe(true), first)
    }
    if (!walk.complete) return
    const repeated = texts.filter((text) => walk.pagesWith(text).length > 1)
    const what = `elements on several pages (${describeRow(row)})`
    claim(paged, () => expect(repeated, what).toEqual([]), walk)
  }

  /** A list on one page shows the same elements to each request under the conditions of its row. */
  async #claimSteady(
    { row, body, answer }: Trial,
    texts: readonly string[],
    walk: ListWalk,
    requirement: RequirementId,
  ): Promise<void> {
    const { claim, session } = this.#context
    const { list, arrange, shows } = this.#list
    // A page may be shorter than its limit, and others follow.
    const showsAll = (one: Exchange) =>
      typeof cursorIn(one, undefined) === 'string' || texts.every((text) => shows(one, text))
    const [page, ...further] = walk.pages
    if (!walk.complete || further.length > 0 || !showsAll(page) || showsAll(answer)) return
    const read = async () => {
      await arrange?.(row)
      return list(body as Query, this.#members.callerOf(row['caller'] === 'second'))
    }
    const isSteady = await staysVisible(session, read, showsAll)
    const what = `the list shows the same elements each time (${describeRow(row)})`
    claim(requirement, () => expect(isSteady, what).toBe(true), answer, walk)
  }

  #claimSizes({ row, body, answer }: Trial, walk: ListWalk, texts: readonly string[]): void {
    const { shows, sizeOf, requirements, bodyOf = answerJson } = this.#list
    for (const page of [answer, ...walk.pages]) {
      const twice = repeatedIn(bodyOf(page), texts)
      const none = () => expect(twice, `elements shown twice (${describeRow(row)})`).toEqual([])
      if (twice.length > 0) this.#context.claim(requirements.paged, none, page)
      if (isUnlimited(row)) continue
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

const hasElements = (page: Exchange): boolean =>
  someValue(answerJson(page), (value) => Array.isArray(value) && value.length > 0)

const isUnlimited = ({ limit = plain }: Row): boolean => limit === plain
