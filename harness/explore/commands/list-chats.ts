import type { Exchange, RequirementId } from '../../../contract/index.ts'
import { poll } from '../../conformance/scenario/poll.ts'
import { contains } from '../../conformance/scenario/read.ts'
import { isConclusive, type ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { asControl, expectLimit, isSettled } from '../checks.ts'
import {
  type Command,
  drawFrom,
  type ExplorationContext,
  type Operation,
  StateViolation,
} from '../command.ts'
import type { ChatState } from '../model.ts'
import { readChat } from './read-chat.ts'

const limits = [undefined, 1, 2, 3, 5, 10, 20, 30, 50] as const

export const listChats: Command = {
  weight: 4,
  reads: true,
  expects: ['V3-CHAT-05', 'V3-CHAT-06', 'V3-CHAT-07', 'V3-CHAT-08', 'V3-CHAT-09', 'V3-CHAT-11'],
  draw({ living }, pick) {
    const named = living.filter(({ name }) => name !== undefined)
    const one = drawFrom(named, pick)
    if (living.length === 0) return undefined
    const variant = drawFrom(['all', 'search', 'search of one', 'without favorites'], pick)
    if (variant === 'search of one') return one && { variant, chat: one.label }
    return { variant, limit: drawFrom(limits, pick) }
  },
  applies: (model, { chat }) =>
    model.chats.length > 0 && (chat === undefined || model.chat(chat)?.deleted === false),
  simpler: ({ command, label, variant }) =>
    variant === 'all' ? [] : [{ command, label, variant: 'all' }],
  run: async (context, operation) => void (await walkChats(context, operation)),
}

/** Query of a list of chats, with the chats that it must show and those that it must omit. */
function listOf(context: ExplorationContext, { variant = 'all', limit, chat }: Operation) {
  const { chats, model } = context
  const words: Readonly<Record<string, string | undefined>> = {
    search: context.word,
    'search of one': model.chat(chat)?.name?.split(' ')[0],
  }
  const search = words[variant]
  const isWithout = variant === 'without favorites'
  return {
    search,
    query: {
      ...(search !== undefined && { search }),
      ...(isWithout && { exclude_favorites: chats.excludeFavorites }),
      ...(limit !== undefined && { limit }),
    },
    sought: model.living.filter((one) => {
      if (search === undefined) return variant === 'all' || one.favorite === false
      return one.name?.startsWith(search) === true && isSettled(context, 'name', one)
    }),
    excluded: isWithout ? model.living.filter(({ favorite }) => favorite) : [],
  }
}

/** True if every expected chat was shown. */
async function walkChats(context: ExplorationContext, operation: Operation): Promise<boolean> {
  const { variant = 'all', limit } = operation
  const { chats, knowledge, session, model } = context
  const { search, query, sought, excluded } = listOf(context, operation)
  if (variant === 'search of one' && search === undefined) return false
  const missingIn = (walk: ListWalk) => sought.filter(({ id }) => walk.pagesWith(id).length === 0)
  const unwantedIn = (walk: ListWalk) =>
    [...model.deleted, ...excluded].filter(({ id }) => walk.pagesWith(id).length > 0)
  const walk = await poll(
    session,
    () => chats.walkOnce(query, sought),
    (walk) => missingIn(walk).length === 0 && unwantedIn(walk).length === 0,
  )
  const lastPages = walk.pages.slice(-3)
  const unwanted = unwantedIn(walk)
  const missing = missingIn(walk)
  const ability = `list ${search === undefined ? variant : 'search'}${limit === undefined ? '' : ' with limit'}`
  const ids = sought.map(({ id }) => id)
  const isLacking = missing.length > 0 && knowledge.isAble(ability) && isConclusive(walk, ids)
  const isOwnLoss = isLacking && (await isLossOf(context, operation, missing))
  for (const page of walk.pages) context.record(page)
  if (unwanted.some(({ deleted }) => deleted) && knowledge.isAble('list all')) {
    const why = 'the list of chats shows a deleted chat'
    throw new StateViolation('V3-CHAT-11', why, lastPages, unwanted)
  }
  if (missing.length === 0) {
    knowledge.prove(ability)
    if (excluded.length > 0 && unwanted.length === 0) knowledge.prove('exclude favorites')
  }
  if (isOwnLoss) {
    const requirement =
      limit !== undefined ? 'V3-CHAT-08' : (requirementOfList[variant] ?? 'V3-CHAT-05')
    const why = `the list of chats (${variant === 'all' ? 'no filter' : variant}${limit === undefined ? '' : `, limit ${limit}`}) lacks ${missing.length} of ${sought.length} chats`
    throw new StateViolation(requirement, why, lastPages, missing)
  }
  if (excluded.length > 0 && unwanted.length > 0 && knowledge.isAble('exclude favorites')) {
    const why = 'exclude_favorites leaves a favorite in the list'
    throw new StateViolation('V3-CHAT-09', why, lastPages, unwanted)
  }
  const count = (page: Exchange) => {
    const body = chats.bodyOfPage(page)
    return model.chats.filter(({ id }) => contains(body, id)).length
  }
  const describe = (many: number) => `lists ${many} chats of this run`
  expectLimit(context, 'V3-CHAT-07', limit, walk.pages, count, describe)
  return missing.length === 0
}

/**
 * Tests if this list loses the chats: if they are also missing without a limit or without a filter, the pages
 * or the filter are not the cause, and a search need not find chats whose names have changed.
 * @throws StateViolation if a chat lacks the name that it must have, or a simpler list loses chats
 */
async function isLossOf(
  context: ExplorationContext,
  { limit, ...whole }: Operation,
  missing: readonly ChatState[],
): Promise<boolean> {
  const { command, label, variant = 'all' } = whole
  if (variant.startsWith('search')) {
    for (const { label: chat, name } of missing) {
      const control = asControl(context)
      await readChat.run(control, { command: 'read chat', label: chat, chat })
      if (control.model.chat(chat)?.name !== name) return false
    }
  }
  if (limit !== undefined) return walkChats(asControl(context), whole)
  return variant === 'all' || walkChats(asControl(context), { command, label, variant: 'all' })
}

const requirementOfList: Readonly<Record<string, RequirementId>> = {
  search: 'V3-CHAT-06',
  'search of one': 'V3-CHAT-06',
  'without favorites': 'V3-CHAT-09',
}
