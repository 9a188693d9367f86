import type { RequirementId } from '../../../contract/index.ts'
import { poll } from '../../conformance/scenario/poll.ts'
import { answerJson, contains } from '../../conformance/scenario/read.ts'
import { isConclusive, type ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { isSettled } from '../checks/kept.ts'
import { type Command, demand, drawFrom, type Operation, type World } from '../command.ts'
import { chatNamed, livingChats } from '../model.ts'

const limits = [undefined, 1, 2, 3, 5, 10, 20, 30, 50] as const

export const listChats: Command = {
  name: 'list chats',
  weight: 4,
  generations: 0,
  reads: true,
  draw(model, pick) {
    const named = drawFrom(
      livingChats(model).filter(({ name }) => name !== undefined),
      pick,
    )
    if (livingChats(model).length === 0) return undefined
    const variant = ['all', 'search', 'search of one', 'without favorites'][pick(4)] ?? 'all'
    if (variant === 'search of one') return named && { variant, chat: named.label }
    const limit = drawFrom(limits, pick)
    return limit === undefined ? { variant } : { variant, limit }
  },
  applies: (model, { chat }) =>
    livingChats(model).length > 0 &&
    (chat === undefined || chatNamed(model, chat)?.deleted === false),
  run: walkChats,
}

async function walkChats(world: World, operation: Operation): Promise<void> {
  const { variant = 'all', limit, chat: label } = operation
  const { chats, knowledge, session, model } = world
  const one = chatNamed(model, label)
  const [ownWord] = one?.name?.split(' ') ?? []
  if (variant === 'search of one' && ownWord === undefined) return
  const word = variant === 'search' ? world.word : ownWord
  const isSearch = variant.startsWith('search') && word !== undefined
  const query = {
    ...(isSearch ? { search: word } : {}),
    ...(variant === 'without favorites' ? { exclude_favorites: chats.excludeFavorites } : {}),
    ...(limit === undefined ? {} : { limit }),
  }
  const sought = livingChats(model).filter((chat) => {
    if (isSearch) return chat.name?.startsWith(word) === true && isSettled(world, 'name', chat)
    return variant === 'all' || chat.favorite === false
  })
  const missingIn = (walk: ListWalk) => sought.filter(({ id }) => walk.pagesWith(id).length === 0)
  const deletedChats = model.chats.filter(({ deleted }) => deleted)
  const excluded =
    variant === 'without favorites' ? livingChats(model).filter(({ favorite }) => favorite) : []
  const unwantedIn = (walk: ListWalk) =>
    [...deletedChats, ...excluded].filter(({ id }) => walk.pagesWith(id).length > 0)
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
  const ability = `list ${isSearch ? 'search' : variant}${limit === undefined ? '' : ' with limit'}`
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
    // What is missing without a limit, or without a filter, is not for the pages or the filter.
    const { limit: _, ...whole } = operation
    if (limit !== undefined) await walkChats(world, whole)
    else if (variant !== 'all') await walkChats(world, { ...whole, variant: 'all' })
    const row = limit !== undefined ? 'V3-CHAT-08' : (rowOfList[variant] ?? 'V3-CHAT-05')
    const count = `${missing.length} of ${sought.length}`
    demand(
      false,
      row,
      `the list of chats (${describe(variant, limit)}) lacks ${count} chats`,
      ...shown,
    )
  }
  if (excluded.length > 0 && unwanted.length > 0 && knowledge.isAble('exclude favorites')) {
    demand(false, 'V3-CHAT-09', 'exclude_favorites leaves a favorite in the list', ...shown)
  }
  if (limit === undefined) return
  for (const page of walk.pages) {
    const own = model.chats.filter(({ id }) => contains(answerJson(page), id)).length
    const why = `a page with limit ${limit} lists ${own} chats of this run`
    if (own <= limit) knowledge.prove('limit of chats')
    else if (knowledge.isAble('limit of chats')) demand(false, 'V3-CHAT-07', why, page)
  }
}

const rowOfList: Readonly<Record<string, RequirementId>> = {
  all: 'V3-CHAT-05',
  search: 'V3-CHAT-06',
  'search of one': 'V3-CHAT-06',
  'without favorites': 'V3-CHAT-09',
}

function describe(variant: string, limit: number | undefined): string {
  const limited = limit === undefined ? '' : `, limit ${limit}`
  return `${variant === 'all' ? 'no filter' : variant}${limited}`
}
