/** Laws of a chat: all reads show its changes, and nothing else. */
import {
  answerJson,
  type Chat,
  contains,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  type Scenario,
  staysVisible,
  succeeded,
} from '../../harness/conformance/scenario/index.ts'
import { firstWord, ownTitle, showsName, spellingsOf } from './chat-names.ts'
import type { Caller } from './credentials.ts'

export interface ChatState {
  readonly chat: Chat
  readonly caller: Caller
  readonly firstName: string
  /** Undefined if it was neither added to the favorites nor removed from them. */
  readonly favorite?: boolean
  /** Another chat with the same name, which must remain unchanged. */
  readonly twin?: Chat
  /** True if the favorites showed that chat. */
  readonly isTwinFavorite?: boolean
  /** True if it has a turn, after which it may name itself. */
  readonly hasTurn?: boolean
  /** The requests that created the state. */
  readonly sent: readonly Exchange[]
}

/** Requirements that the laws of chats claim. */
export const requirementsOfChats = [
  ...(['V3-CHAT-02', 'V3-CHAT-04', 'V3-CHAT-05'] as const),
  ...(['V3-CHAT-06', 'V3-CHAT-10', 'V3-CHAT-13'] as const),
  ...(['V3-FAV-01', 'V3-FAV-02', 'V3-FAV-03', 'V3-AUTH-05'] as const),
]

/** Tests a part of the state, with the conditions in words; false if it is broken. */
type Law = (scenario: Scenario, state: ChatState, under: string) => Promise<boolean>

const laws = {
  /** A list may identify a favorite by the id of the chat or by a name. */
  async favorite({ claim, chats, session }, state, under) {
    const { chat, caller, firstName, favorite, twin, sent } = state
    const isWanted = favorite === true
    const shows = (page: Parameters<typeof chats.mentions>[0]) =>
      [...spellingsOf(chat.name), firstName].some((name) => chats.mentions(page, { ...chat, name }))
    // Another chat with its first name may be a favorite.
    const isOld = (body: unknown) =>
      !(showsName(body, chat.name) || (twin && contains(body, twin.id))) &&
      [chat.id, firstName].every((text) => contains(body, text))
    const list = await chats.poll(
      () => chats.readFavorites(caller),
      (body, page) => shows(page) === isWanted && !isOld(body),
    )
    if (isWanted && chat.name !== firstName) {
      const what = `the favorites show the first name alone (${under})`
      claim('V3-CHAT-10', () => expect(isOld(list.body), what).toBe(false), list, ...sent)
    }
    const isShown = shows(list)
    // A chat that is not on the first page may be on a page that cannot be reached.
    const mayShow = (page: typeof list) =>
      shows(page) || (!page.isWhole && succeeded(page.pages[0]))
    if (isWanted && !isShown && mayShow(list)) return true
    const ofWanted = isWanted ? 'V3-FAV-01' : 'V3-FAV-02'
    if (isWanted && isShown) {
      const isSteady = await staysVisible(session, () => chats.readFavorites(caller), mayShow)
      const what = `the favorites show the chat each time (${under})`
      claim('V3-FAV-01', () => expect(isSteady, what).toBe(true), list)
    }
    const isFavorite = () => {
      if (favorite !== undefined) expectAccepted(list, 'GET /chat/favorite')
      expect(isShown, `the favorites show the chat (${under})`).toBe(isWanted)
    }
    const requirement = favorite === undefined ? 'V3-FAV-03' : ofWanted
    return claim(requirement, isFavorite, list, ...sent)
  },

  async name(scenario, state, under) {
    const { chat, caller, firstName, favorite, sent } = state
    const { claim, chats } = scenario
    const first = await chats.get(chat.id, caller)
    const read = showsName(answerJson(first), chat.name)
      ? first
      : await chats.poll(
          () => chats.get(chat.id, caller),
          (body) => showsName(body, chat.name),
        )
    if (isDeclined(first) && succeeded(read)) await claimFirstRead(scenario, caller)
    const isReadable = () => {
      expectAccepted(read, 'GET /chat/{chat_id}')
      expect(chats.mentions(read, chat), `the answer shows the chat (${under})`).toBe(true)
    }
    const isRead =
      favorite === false
        ? claim('V3-FAV-02', isReadable, ...sent, read)
        : claim('V3-CHAT-04', isReadable, read)
    const isNamed = showsName(answerJson(read), chat.name)
    if (isRead && !isNamed && (await hasNamedItself(scenario, state, read))) return true
    const what = `the chat has its name ${JSON.stringify(chat.name)} (${under})`
    const requirement = chat.name === firstName ? 'V3-CHAT-02' : 'V3-CHAT-10'
    return isRead && claim(requirement, () => expect(isNamed, what).toBe(true), read, ...sent)
  },

  /** Claims only for names that begin with a letter or a digit: how a search matches others is open. */
  async search(scenario, state, under) {
    const { chat, caller, firstName, twin, sent } = state
    const { claim, chats } = scenario
    const search = firstWord(chat.name)
    if (!/^[\p{L}\p{N}]+$/u.test(search)) return true
    const list = await chats.poll(
      () => chats.readList({ search }, undefined, caller),
      (body) => contains(body, chat.id),
    )
    const evidence = [list, ...sent]
    if (!contains(list.body, chat.id)) {
      if (!list.isWhole && succeeded(list.pages[0])) return true
      if (await hasNamedItself(scenario, state, await chats.get(chat.id, caller))) return true
      const all = await chats.readList({}, undefined, caller)
      const isMissing = all.isWhole && !contains(all.body, chat.id)
      const what = `search=${search} finds the chat by its name (${under})`
      const requirement = isMissing ? 'V3-CHAT-05' : 'V3-CHAT-06'
      return claim(requirement, () => expect(false, what).toBe(true), ...evidence)
    }
    claim('V3-CHAT-06', () => expectAccepted(list, 'GET /chat with search'), ...evidence)
    // A list that also shows the other chat was not filtered by the search.
    if (chat.name === firstName || (twin && contains(list.body, twin.id))) return true
    const isOld = contains(list.body, firstName)
    const what = `the list shows the first name of the chat (${under})`
    return claim('V3-CHAT-10', () => expect(isOld, what).toBe(false), ...evidence)
  },

  async twin({ claim, chats }, { twin, isTwinFavorite = false, caller, sent }, under) {
    if (twin === undefined) return true
    const showsTwin = (read: Exchange) => succeeded(read) && showsName(answerJson(read), twin.name)
    const kept = await chats.poll(
      () => chats.get(twin.id, caller),
      (_, read) => showsTwin(read),
    )
    const isKept = showsTwin(kept)
    const what = `another chat is kept with its name (${under})`
    const hasStayed = claim('V3-CHAT-13', () => expect(isKept, what).toBe(true), ...sent, kept)
    if (!hasStayed || !isTwinFavorite) return hasStayed
    const list = await chats.poll(
      () => chats.readFavorites(caller),
      (_, page) => chats.mentions(page, twin),
    )
    if (!list.isWhole) return true
    const isShown = chats.mentions(list, twin)
    const whatIsShown = `the favorites still show another chat (${under})`
    const isListed = () => expect(isShown, whatIsShown).toBe(true)
    return claim('V3-CHAT-13', isListed, list, ...sent)
  },
} as const satisfies Readonly<Record<string, Law>>

/** Tests if a chat with a turn shows another name, which it may have given itself at any time since. */
async function hasNamedItself(
  scenario: Scenario,
  { chat, hasTurn = false }: ChatState,
  read: Exchange,
): Promise<boolean> {
  const title = hasTurn ? await ownTitle(scenario, read, chat) : undefined
  if (title === undefined) return false
  scenario.session.observe('OPEN-13', `a turn gives its chat the name ${title}`, [read])
  return true
}

export function createChatLaws(scenario: Scenario) {
  /** Laws that were broken once, whose state is not awaited again. */
  const broken = new Set<string>()
  return {
    /** @param under conditions, in words */
    async claim(state: ChatState, under: string): Promise<void> {
      for (const [name, law] of Object.entries<Law>(laws)) {
        if (broken.has(name) || (name === 'search' && broken.has('name'))) continue
        if (!(await law(scenario, state, under))) broken.add(name)
      }
    },

    /** No read shows a deleted chat. */
    async claimDeleted(state: ChatState, under: string): Promise<void> {
      if (broken.has('deleted')) return
      const { claim, chats, v3 } = scenario
      const { chat, caller, sent } = state
      const isGone = (_: unknown, page: Exchange) => isDeclined(page)
      await scenario.session.waitForOthers()
      const read = await chats.poll(() => chats.get(chat.id, caller), isGone)
      // If the first read waited in vain, the time for the others has passed as well.
      const isAwaited = isDeclined(read)
      const history = await chats.poll(
        () => v3.history(chat, {}, caller),
        (_, page) => !isAwaited || isDeclined(page),
      )
      const page = await v3.history(chat, { limit: 10 }, caller)
      const list = await chats.poll(
        () => chats.readList({ search: firstWord(chat.name) }, undefined, caller),
        (body) => !isAwaited || !contains(body, chat.id),
      )
      const favorites = await chats.poll(
        () => chats.readFavorites(caller),
        (body) => !isAwaited || !contains(body, chat.id),
      )
      const isNowhere = () => {
        expect(isDeclined(read), `reading the deleted chat is declined (${under})`).toBe(true)
        expect(isDeclined(history), `reading its history is declined (${under})`).toBe(true)
        expect(isDeclined(page), `reading a page of it is declined (${under})`).toBe(true)
        expect(list.pagesWith(chat.id).length, 'pages of the list that show it').toBe(0)
        const isFavorite = contains(favorites.body, chat.id)
        expect(isFavorite, 'the favorites show the deleted chat').toBe(false)
      }
      const reads = [read, history, page, list, favorites]
      if (!claim('V3-CHAT-11', isNowhere, ...sent, ...reads)) broken.add('deleted')
      if (!broken.has('twin') && !(await laws.twin(scenario, state, under))) broken.add('twin')
    },
  }
}

/** A chat that was declined at first may have been too new; one that waited as long as a change may take is not. */
async function claimFirstRead({ claim, chats, v3, session }: Scenario, caller: Caller) {
  const { id } = await v3.createChat(caller)
  await session.sleep(session.settling.ms)
  const read = await chats.get(id, caller)
  claim('V3-CHAT-04', () => expectAccepted(read, 'the first GET /chat/{chat_id}'), read)
}
