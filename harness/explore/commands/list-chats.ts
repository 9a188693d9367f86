import type { RequirementId } from '../../../contract/index.ts'
import { poll } from '../../conformance/scenario/poll.ts'
import { answerJson, contains } from '../../conformance/scenario/read.ts'
import { isConclusive, type ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { asControl } from '../checks/common.ts'
import { isSettled } from '../checks/kept.ts'
import { type Command, demand, drawFrom, type Operation, StateViolation } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import { type ChatState, chatNamed, livingChats } from '../model.ts'
import { readChat } from './read-chat.ts'

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
    model.chats.length > 0 && (chat === undefined || chatNamed(model, chat)?.deleted === false),
  run: async (context, operation) => void (await walkChats(context, operation)),
  simpler: ({ command, label, variant }) =>
    variant === 'all' ? [] : [{ command, label, variant: 'all' }],
}

/** True where every chat that is sought was shown. */
async function walkChats(context: ExplorationContext, operation: Operation): Promise<boolean> {
  const { variant = 'all', limit, chat: label } = operation
  const { chats, knowledge, session, model } = context
  const one = chatNamed(model, label)
  const [ownWord] = one?.name?.split(' ') ?? []
  if (variant === 'search of one' && ownWord === undefined) return false
  const word = variant === 'search' ? context.word : ownWord
  const isSearch = variant.startsWith('search') && word !== undefined
  const query = {
    ...(isSearch ? { search: word } : {}),
    ...(variant === 'without favorites' ? { exclude_favorites: chats.excludeFavorites } : {}),
    ...(limit === undefined ? {} : { limit }),
  }
  const sought = livingChats(model).filter((chat) => {
    if (isSearch) return chat.name?.startsWith(word) === true && isSettled(context, 'name', chat)
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
        sought.map(({ label }) => context.handle(label)),
      ),
    (walk) => missingIn(walk).length === 0 && unwantedIn(walk).length === 0,
  )
  const lastPages = walk.pages.slice(-3)
  const ability = abilityOf(operation)
  const unwanted = unwantedIn(walk)
  const missing = missingIn(walk)
  const ids = sought.map(({ id }) => id)
  const isLacking = missing.length > 0 && knowledge.isAble(ability) && isConclusive(walk, ids)
  // What is missing without a limit, or without a filter, is not for the pages or the filter.
  const whole = isLacking ? simplerList(operation) : undefined
  const isNamed = !(isLacking && isSearch) || (await haveNames(context, missing))
  const isOwnLoss = isNamed && (whole === undefined || (await walkChats(asControl(context), whole)))
  for (const page of walk.pages) context.record(page)
  if (unwanted.some(({ deleted }) => deleted) && knowledge.isAble('list all')) {
    const why = 'the list of chats shows a deleted chat'
    throw new StateViolation('V3-CHAT-11', why, lastPages, labelsOf(unwanted))
  }
  if (missing.length === 0) {
    knowledge.prove(ability)
    if (excluded.length > 0 && unwanted.length === 0) knowledge.prove('exclude favorites')
  }
  if (isLacking && isOwnLoss) {
    const row = limit !== undefined ? 'V3-CHAT-08' : (rowOfList[variant] ?? 'V3-CHAT-05')
    const count = `${missing.length} of ${sought.length}`
    const why = `the list of chats (${describe(variant, limit)}) lacks ${count} chats`
    throw new StateViolation(row, why, lastPages, labelsOf(missing))
  }
  if (excluded.length > 0 && unwanted.length > 0 && knowledge.isAble('exclude favorites')) {
    const why = 'exclude_favorites leaves a favorite in the list'
    throw new StateViolation('V3-CHAT-09', why, lastPages, labelsOf(unwanted))
  }
  if (limit === undefined) return missing.length === 0
  for (const page of walk.pages) {
    const own = model.chats.filter(({ id }) => contains(answerJson(page), id)).length
    const why = `a page with limit ${limit} lists ${own} chats of this run`
    if (own <= limit) knowledge.prove('limit of chats')
    else if (knowledge.isAble('limit of chats')) demand(false, 'V3-CHAT-07', why, page)
  }
  return missing.length === 0
}

/**
 * Tests if chats that a search does not find have the names that it looks for.
 * @throws StateViolation where one has to have its name and has not: the search is right
 */
async function haveNames(
  context: ExplorationContext,
  chats: readonly ChatState[],
): Promise<boolean> {
  for (const { label, name } of chats) {
    const control = asControl(context)
    await readChat.run(control, { command: readChat.name, label, chat: label })
    if (chatNamed(control.model, label)?.name !== name) return false
  }
  return true
}

/** The list that shows what this one does, without its limit or else without its filter. */
function simplerList(operation: Operation): Operation | undefined {
  const { limit, ...whole } = operation
  if (limit !== undefined) return whole
  const { command, label, variant } = operation
  return variant === 'all' ? undefined : { command, label, variant: 'all' }
}

function abilityOf({ variant = 'all', limit }: Operation): string {
  const kind = variant.startsWith('search') ? 'search' : variant
  return `list ${kind}${limit === undefined ? '' : ' with limit'}`
}

function labelsOf(chats: readonly ChatState[]): readonly string[] {
  return chats.map(({ label }) => label)
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
