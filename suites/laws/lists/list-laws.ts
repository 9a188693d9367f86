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
  whyUnread,
} from '../../../harness/conformance/scenario/index.ts'
import type { Caller } from '../../support/credentials.ts'
import { callerOf } from '../conditions/edits.ts'
import type { Trial } from '../conditions/plan.ts'
import { tryConditions } from '../conditions/trials.ts'
import {
  cap,
  type Kind,
  type LawfulList,
  type LeftOut,
  type ListOperation,
  type Members,
  type Query,
  rowsAt,
  smallPages,
} from './members.ts'

export async function claimLists<O extends ListOperation>(
  scenario: Scenario,
  members: Members,
  list: LawfulList<O>,
): Promise<void> {
  const laws = new LawsOfList(scenario, members, list)
  await tryConditions(scenario, {
    ...list,
    accepts: list.requirements.listed,
    steady: list.requirements.listed,
    rows: rowsAt(scenario.coverage),
    // Few rows need several pages.
    telling: { limit: ['1', '2'] },
    always: [...smallPages, ...(list.always ?? [])],
    async base(row) {
      await list.arrange?.(row)
      return {}
    },
    send: (query, row) => list.list(query as Query, callerOf(scenario.profile, row)),
    laws: [{ law: (_, trial) => laws.claim(trial) }],
  })
}

type Claimed = Omit<LawfulList<ListOperation>, 'operation' | 'edits'>

class LawsOfList {
  readonly #scenario: Scenario
  readonly #members: Members
  readonly #list: Claimed
  /** True for searches that find everything without a limit, by kind and caller. */
  readonly #found = new Map<string, boolean>()
  readonly #broken = new Set<RequirementId>()
  /** Searches that were waited for. */
  readonly #settled = new Set<string>()
  /** True once elements that prove nothing were awaited in vain. */
  #isVain = false

  constructor(scenario: Scenario, members: Members, list: Claimed) {
    this.#scenario = scenario
    this.#members = members
    this.#list = list
  }

  async claim(trial: Trial): Promise<void> {
    const { row } = trial
    const query = trial.body as Query
    const caller = callerOf(this.#scenario.profile, row)
    const kind = row['search'] === plain ? undefined : row['search']
    const leftOut = this.#list.leavesOut?.(row)
    const all = this.#members.of(caller, kind)
    // Names of a kind may be refused.
    if (all.length === 0) return
    const texts = all.filter((text) => leftOut?.texts.includes(text) !== true)
    if (kind !== undefined && !(await this.#isFound(trial, kind, caller))) return
    const { listed, paged } = this.#list.requirements
    const whole = leftOut?.requirement ?? listed
    const requirement = isUnlimited(row) ? whole : paged
    // A missing element would be awaited each time.
    if (this.#broken.has(requirement) || (leftOut && this.#broken.has(whole))) return
    // Other scenarios change the whole list at the same time, and small pages of it are only read in part.
    const isOwn = caller.authorization !== undefined && query['chat_id'] === undefined
    const isEvidence = kind !== undefined || (!isOwn && cap(query) === undefined)
    const walk = await this.#list.read(query, isEvidence || !this.#isVain ? texts : [], caller)
    const missing = missingFrom(walk, texts)
    if (!isEvidence) this.#isVain ||= missing.length > 0
    this.#claimSizes(trial, walk, texts)
    this.#list.also?.(trial, walk)
    if (!succeeded(walk.pages[0]) || !(await this.#isJoined(trial, caller))) return
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
  async #isFound(trial: Trial, kind: string, caller: Caller): Promise<boolean> {
    const { read, requirements, alike = [] } = this.#list
    const key = `${kind} ${caller.authorization}`
    const earlier = this.#found.get(key)
    if (earlier !== undefined) return earlier
    if (this.#broken.has(requirements.found)) return false
    const texts = this.#members.of(caller, kind)
    const search = this.#members.words[kind as Kind]
    const others = kind === 'word' && caller.authorization === undefined ? alike : []
    const walk = await read({ search }, [...texts, ...others], caller)
    const isFound = this.#claimShown(requirements.found, texts, walk, `search=${search}`)
    if (isFound) this.#claimShown(requirements.listed, others, walk, `search=${search}`)
    const kept = ([name, value]: [string, string]) =>
      [name, name === 'search' || name === 'caller' ? value : plain] as const
    const row = Object.fromEntries(Object.entries(trial.row).map(kept))
    this.#list.also?.({ ...trial, row, body: { search }, answer: walk.pages[0] }, walk)
    this.#found.set(key, isFound)
    return isFound
  }

  /** A search in a chat is evidence only if the chat shows its files. */
  async #isJoined(trial: Trial, caller: Caller): Promise<boolean> {
    const { chat_id } = trial.body as Query
    if (chat_id === undefined) return true
    const key = `chat ${caller.authorization}`
    const earlier = this.#found.get(key)
    if (earlier !== undefined) return earlier
    const texts = this.#members.of(caller)
    const walk = await this.#list.read({ chat_id }, texts, caller)
    const row = { ...trial.row, search: plain, limit: plain }
    this.#list.also?.({ ...trial, row, body: { chat_id }, answer: walk.pages[0] }, walk)
    const isJoined = missingFrom(walk, texts).length === 0
    this.#found.set(key, isJoined)
    return isJoined
  }

  #claimShown(
    requirement: RequirementId,
    texts: readonly string[],
    walk: ListWalk,
    under: string,
  ): boolean {
    const { claim, session } = this.#scenario
    const missing = missingFrom(walk, texts)
    if (missing.length > 0 && succeeded(walk.pages[0]) && !isConclusive(walk, texts)) {
      session.markUndecided('inconclusive', [requirement], whyUnread(walk.pages))
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
    const { claim } = this.#scenario
    const { found, paged } = this.#list.requirements
    const { row, body } = trial
    const { alike = [], shows } = this.#list
    const isLost = leftOut && missingFrom(walk, texts).length > 0
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
    const { claim, session, profile } = this.#scenario
    const { list, arrange, shows } = this.#list
    // A page may be shorter than its limit, and others follow.
    const showsAll = (one: Exchange) =>
      typeof cursorIn(one, undefined) === 'string' || texts.every((text) => shows(one, text))
    const [page, ...further] = walk.pages
    if (!walk.complete || further.length > 0 || !showsAll(page) || showsAll(answer)) return
    const read = async () => {
      await arrange?.(row)
      return list(body as Query, callerOf(profile, row))
    }
    const isSteady = await staysVisible(session, read, showsAll)
    const what = `the list shows the same elements each time (${describeRow(row)})`
    claim(requirement, () => expect(isSteady, what).toBe(true), answer, walk)
  }

  #claimSizes({ row, body, answer }: Trial, walk: ListWalk, texts: readonly string[]): void {
    const { shows, sizeOf = () => 0, requirements, bodyOf = answerJson } = this.#list
    const { claim } = this.#scenario
    for (const page of [answer, ...walk.pages]) {
      const twice = repeatedIn(bodyOf(page), texts)
      const none = () => expect(twice, `elements shown twice (${describeRow(row)})`).toEqual([])
      if (twice.length > 0) claim(requirements.paged, none, page)
      if (isUnlimited(row)) continue
      const ours = texts.filter((text) => shows(page, text)).length
      const rows = Math.max(ours, sizeOf(page, texts))
      const size = expect(rows, `rows of a page (${describeRow(row)})`)
      claim(requirements.limited, () => size.toBeLessThanOrEqual(Number(body['limit'])), page)
    }
  }
}

function missingFrom(walk: ListWalk, texts: readonly string[]): readonly string[] {
  return texts.filter((text) => walk.pagesWith(text).length === 0)
}

const hasElements = (page: Exchange): boolean =>
  someValue(answerJson(page), (value) => Array.isArray(value) && value.length > 0)

const isUnlimited = ({ limit = plain }: Row): boolean => limit === plain
