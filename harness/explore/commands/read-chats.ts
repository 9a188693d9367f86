import { type Exchange, type RequirementId, succeeded } from '../../../contract/index.ts'
import { contains, isRecord, statusText } from '../../conformance/scenario/read.ts'
import { bodyJson } from '../../conformance/scenario/echo.ts'
import { cursorIn, isConclusive, type ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { poll } from '../../conformance/scenario/settle.ts'
import { type Command, demand, drawFrom, type Operation, type World } from '../command.ts'
import { type ChatState, chatNamed, livingChats, readProperty } from '../model.ts'
import { requireLiving } from './common.ts'

export const readChat: Command = {
  name: 'read chat',
  weight: 3,
  generations: 0,
  reads: true,
  draw(model, pick) {
    const chosen = drawFrom(livingChats(model), pick)
    return chosen && { chat: chosen.label }
  },
  applies: (model, { chat }) => chatNamed(model, chat)?.deleted === false,
  async run(world, operation) {
    const chat = requireLiving(world, operation)
    const { chats, knowledge, session } = world
    const known = { ...world.handle(chat.label), name: chat.name ?? chat.id }
    const shows = (page: Exchange) => succeeded(page) && chats.mentions(page, known)
    const showsName = (page: Exchange) =>
      chat.name === undefined || contains(bodyJson(page), chat.name)
    const read = await poll(
      session,
      () => chats.get(chat.id, { role: 'probe' }),
      (page) => shows(page) && showsName(page),
    )
    world.act(read)
    if (shows(read)) knowledge.prove('read chat')
    else if (knowledge.isAble('read chat')) {
      demand(false, 'V3-CHAT-04', `reading a chat was answered ${statusText(read)}, and shows no chat`, read)
    } else return
    expectName(world, chat, showsName(read), read)
  },
}

/** The name is the one that was set last, unless an operation on the chat may have changed it. */
function expectName(world: World, chat: ChatState, isShown: boolean, read: Exchange): void {
  if (chat.name === undefined) {
    world.model = readProperty(world.model, chat.label, 'name', undefined)
    return
  }
  const kinds = chat.sinceRead.name
  const last = kinds.findLast((kind) => kind === 'create' || kind === 'rename')
  if (isShown) {
    if (last !== undefined) world.knowledge.prove(`name after ${last}`)
    for (const kind of kinds) world.knowledge.learn(`name kept by ${kind}`, true)
    world.model = readProperty(world.model, chat.label, 'name', chat.name)
    return
  }
  const isKept = settle(world, 'name', chat)
  world.model = readProperty(world.model, chat.label, 'name', undefined)
  if (!isKept) return
  if (last !== undefined && !world.knowledge.isAble(`name after ${last}`)) return
  if (last === undefined && !world.knowledge.isAble('name after create')) return
  const row: RequirementId =
    last === 'rename' ? 'V3-CHAT-10' : kinds.length > 0 ? 'V3-CHAT-02' : 'V3-CHAT-13'
  const why =
    last === 'rename'
      ? 'the chat does not have the name that it was given last'
      : kinds.length > 0
        ? 'the chat does not have the name that it was created with'
        : 'the chat has another name, though nothing was done with it since it was read'
  demand(false, row, why, read)
}

type Property = keyof ChatState['sinceRead']

/** Kinds of operation that set a property, so that nothing has to be learned of them. */
const setting: Readonly<Record<Property, readonly string[]>> = {
  name: ['create', 'rename'],
  favorite: [
    'create',
    ...['add favorite', 'add favorite again', 'remove favorite', 'remove favorite again'],
  ],
}

/** Kinds after which a chat may have another name, of which the document says nothing. */
const titling: readonly string[] = ['generate', 'race', 'generate name']

/** Whether each kind of operation since a property was read was seen to keep it. */
function isSettled(world: World, property: Property, { sinceRead }: ChatState): boolean {
  return othersSince(property, sinceRead[property]).every(
    (kind) =>
      !(property === 'name' && titling.includes(kind)) &&
      world.knowledge.choiceOf(`${property} kept by ${kind}`) === true,
  )
}

/** Learns what has changed a property that was expected to stay; true where it may not have changed. */
function settle(world: World, property: Property, chat: ChatState): boolean {
  const isKnown = isSettled(world, property, chat)
  if (isKnown) return true
  for (const kind of othersSince(property, chat.sinceRead[property])) {
    world.knowledge.learn(`${property} kept by ${kind}`, false)
  }
  return false
}

function othersSince(property: Property, kinds: readonly string[]): readonly string[] {
  return kinds.filter((kind) => !setting[property].includes(kind))
}

export const readFavorites: Command = {
  name: 'read favorites',
  weight: 3,
  generations: 0,
  reads: true,
  draw: (model) => (model.chats.length > 0 ? {} : undefined),
  applies: () => true,
  async run(world) {
    const { chats, session } = world
    const isWrong = (page: Exchange) =>
      !succeeded(page) ||
      world.model.chats.some((chat) => {
        const shown = contains(bodyJson(page), chat.id)
        if (chat.deleted) return shown
        return chat.favorite !== undefined && chat.favorite !== shown
      })
    const page = await poll(
      session,
      () => chats.favorites({ role: 'probe' }),
      (seen) => !isWrong(seen),
    )
    world.act(page)
    if (!succeeded(page)) {
      const isAble = world.knowledge.isAble('favorites')
      demand(!isAble, 'V3-FAV-01', `the favorites were answered ${statusText(page)}`, page)
      return
    }
    for (const chat of world.model.chats) expectMark(world, chat, page)
  },
}

function expectMark(world: World, chat: ChatState, page: Exchange): void {
  const { knowledge } = world
  const shown = contains(bodyJson(page), chat.id)
  if (chat.deleted) {
    const isAble = knowledge.isAble('favorites')
    demand(!(shown && isAble), 'V3-CHAT-11', 'the favorites show a deleted chat', page)
    return
  }
  const kinds = chat.sinceRead.favorite
  const hold = (seen: boolean | undefined) => {
    world.model = readProperty(world.model, chat.label, 'favorite', seen)
  }
  if (chat.favorite === undefined) return hold(shown || isWholeList(page) ? shown : undefined)
  if (chat.favorite === shown) {
    if (shown) knowledge.prove('favorites')
    if (!shown && kinds.includes('remove favorite')) knowledge.prove('remove favorite')
    for (const kind of kinds) knowledge.learn(`favorite kept by ${kind}`, true)
    return hold(shown)
  }
  // A list that may go on elsewhere says nothing of what it does not show.
  if (!shown && !isWholeList(page)) return hold(undefined)
  const isKept = settle(world, 'favorite', chat)
  hold(undefined)
  if (!isKept || !knowledge.isAble('favorites')) return
  if (shown) {
    const wasRemoved = kinds.some((kind) => kind.startsWith('remove favorite'))
    if (wasRemoved && !knowledge.isAble('remove favorite')) return
    const why = wasRemoved
      ? 'the favorites still show a chat that was removed from them'
      : 'the favorites show a chat that was not added to them'
    demand(false, wasRemoved ? 'V3-FAV-02' : 'V3-FAV-03', why, page)
  }
  const wasTouched = kinds.length > 0
  const why = wasTouched
    ? 'the favorites do not show a chat that was added to them'
    : 'a favorite is no longer one, though nothing was done with it since the favorites were read'
  demand(false, wasTouched ? 'V3-FAV-01' : 'V3-CHAT-13', why, page)
}

/** Fewer elements than any page would have, and no word of a next page. */
function isWholeList(page: Exchange): boolean {
  const cursor = cursorIn(page, undefined)
  if (cursor === null) return true
  return cursor === undefined && longestList(bodyJson(page)) < smallestPage
}

const smallestPage = 10

function longestList(body: unknown): number {
  const queue: unknown[] = [body]
  let longest = 0
  for (const value of queue) {
    if (Array.isArray(value)) longest = Math.max(longest, value.length)
    if (isRecord(value)) queue.push(...Object.values(value))
  }
  return longest
}

const limits = [undefined, 1, 2, 3, 5, 10, 20, 30, 50] as const

export const listChats: Command = {
  name: 'list chats',
  weight: 4,
  generations: 0,
  reads: true,
  draw(model, pick) {
    if (livingChats(model).length === 0) return undefined
    const variant = ['all', 'search', 'search', 'without favorites'][pick(4)] ?? 'all'
    const limit = drawFrom(limits, pick)
    return limit === undefined ? { variant } : { variant, limit }
  },
  applies: (model) => livingChats(model).length > 0,
  run: walkChats,
}

async function walkChats(world: World, { variant = 'all', limit }: Operation): Promise<void> {
  const { chats, knowledge, session, model } = world
  const query = {
    ...(variant === 'search' ? { search: world.word } : {}),
    ...(variant === 'without favorites' ? { exclude_favorites: chats.excludeFavorites } : {}),
    ...(limit === undefined ? {} : { limit }),
  }
  const sought = livingChats(model).filter((chat) => {
    if (variant === 'search') return chat.name !== undefined && isSettled(world, 'name', chat)
    return variant === 'all' || chat.favorite === false
  })
  const missingIn = (walk: ListWalk) => sought.filter(({ id }) => walk.pagesWith(id).length === 0)
  const gone = model.chats.filter(({ deleted }) => deleted)
  const excluded =
    variant === 'without favorites' ? livingChats(model).filter(({ favorite }) => favorite) : []
  const unwantedIn = (walk: ListWalk) =>
    [...gone, ...excluded].filter(({ id }) => walk.pagesWith(id).length > 0)
  const walk = await poll(
    session,
    () =>
      chats.walkOnce(
        query,
        sought.map(({ label }) => world.handle(label)),
      ),
    (seen) => missingIn(seen).length === 0 && unwantedIn(seen).length === 0,
  )
  for (const page of walk.pages) world.act(page)
  const shown = walk.pages.slice(-3)
  const ability = `list ${variant}${limit === undefined ? '' : ' with limit'}`
  const unwanted = unwantedIn(walk)
  if (unwanted.some(({ deleted }) => deleted) && knowledge.isAble('list all')) {
    demand(false, 'V3-CHAT-11', 'the list of chats shows a deleted chat', ...shown)
  }
  const missing = missingIn(walk)
  const ids = sought.map(({ id }) => id)
  if (missing.length === 0) {
    knowledge.prove(ability)
    if (excluded.length > 0 && unwanted.length === 0) knowledge.prove('exclude favorites')
  } else if (knowledge.isAble(ability) && isConclusive(walk, ids)) {
    const row = limit !== undefined ? 'V3-CHAT-08' : rowOfList[variant] ?? 'V3-CHAT-05'
    const count = `${missing.length} of ${sought.length}`
    demand(false, row, `the list of chats (${describe(variant, limit)}) lacks ${count} chats`, ...shown)
  }
  if (excluded.length > 0 && unwanted.length > 0 && knowledge.isAble('exclude favorites')) {
    demand(false, 'V3-CHAT-09', 'exclude_favorites leaves a favorite in the list', ...shown)
  }
  if (limit === undefined) return
  for (const page of walk.pages) {
    const own = model.chats.filter(({ id }) => contains(bodyJson(page), id)).length
    const why = `a page with limit ${limit} lists ${own} chats of this run`
    if (own <= limit) knowledge.prove('limit of chats')
    else if (knowledge.isAble('limit of chats')) demand(false, 'V3-CHAT-07', why, page)
  }
}

const rowOfList: Readonly<Record<string, RequirementId>> = {
  all: 'V3-CHAT-05',
  search: 'V3-CHAT-06',
  'without favorites': 'V3-CHAT-09',
}

function describe(variant: string, limit: number | undefined): string {
  const limited = limit === undefined ? '' : `, limit ${limit}`
  return `${variant === 'all' ? 'no filter' : variant}${limited}`
}
