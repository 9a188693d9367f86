import {
  answerJson,
  chatIdNames,
  type Exchange,
  isUuid,
  type JsonLeaf,
  leavesOf,
  type OperationId,
} from '../../../../contract/index.ts'
import { fill } from '../../profile/schema-requests.ts'
import { wordsIn } from '../../session/identities.ts'
import { type RequestSpec, route, type SendOptions } from '../../session/requests/wire-request.ts'
import type { Session } from '../../session/session.ts'
import { assumeAccepted } from '../claims.ts'
import { equalDelays, pollEndpoints, pollMs, readRepeatedly } from '../poll.ts'
import { contains, repeatedIn, withoutCursors, withoutReferences } from '../read.ts'
import { type ListWalk, type Query, readList } from './paging.ts'
import type { Chat } from './v3.ts'

/** Chat management (section 4.3, prefix /chat). Shapes are not shown: everything is found by value. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one short method a route
export function chatRoutes(session: Session) {
  const { requests, shapes, models } = session.context.setup.profile

  const to = (id: OperationId, chat: string, more: Partial<RequestSpec>) =>
    session.send({ ...route(id, chat), ...more })
  const on =
    (id: OperationId, body: Pick<RequestSpec, 'json'> = {}) =>
    (chat: string, options: SendOptions = {}): Promise<Exchange> =>
      to(id, chat, { ...body, ...options })

  const { created } = session.context.setup.state.budget
  /** The part of a page that shows its chats, without their references to others. */
  const bodyOfPage = (page: Exchange) =>
    withoutReferences(withoutCursors(answerJson(page)), created)
  const ofChats = { pointer: shapes.chatCursor, bodyOf: bodyOfPage }

  const routes = {
    bodyOfPage,
    /** The ids of chats of any scenario that a page shows twice. */
    shownTwice: (page: Exchange): readonly string[] => repeatedIn(bodyOfPage(page), [...created]),
    /**
     * Ids on a page of the list that an earlier page does not show, in rows without a name of a run. Depends on nothing
     * that other scenarios do at the same time, so that a second judgment finds the same ids.
     */
    strangers(page: Exchange, earlier: Exchange): readonly string[] {
      const rows = Map.groupBy(leavesOf(answerJson(page)), parentOf).values()
      // A time in seconds is no name, which has several words.
      const isName = (value: unknown) =>
        typeof value === 'string' && value.includes(' ') && wordsIn(value).length > 0
      const unnamed = [...rows].filter((row) => !row.some(({ value }) => isName(value)))
      const ids = new Set(unnamed.flatMap((row) => row.map(({ value }) => value).filter(isUuid)))
      return [...ids].filter((id) => !contains(answerJson(earlier), id))
    },
    list: (query: Query = {}, options: SendOptions = {}): Promise<Exchange> =>
      to('v3.chats', '', { query, ...options }),
    favorites: (options: SendOptions = {}, query: Query = {}): Promise<Exchange> =>
      to('v3.favorites', '', { query, ...options }),
    get: on('v3.chat'),
    remove: on('v3.deleteChat'),
    addFavorite: on('v3.addFavorite'),
    removeFavorite: on('v3.removeFavorite'),
    /** Sends an empty body, none, and one with a model, until one is not refused for that, as none is shown. */
    async generateName(chat: string, options: SendOptions = {}): Promise<Exchange> {
      const send = (body: Pick<RequestSpec, 'json'>) =>
        to('v3.generateName', chat, { ...body, ...options })
      const isForBody = ({ response }: Exchange) => [400, 415, 422].includes(response?.status ?? 0)
      let answer = await send({ json: {} })
      if (isForBody(answer)) answer = await send({})
      return isForBody(answer) ? send({ json: { model_id: models.main } }) : answer
    },
    attachments: (chat: string, query: Query = {}, options: SendOptions = {}): Promise<Exchange> =>
      to('v3.chatAttachments', chat, { query, ...options }),

    /** Reads the list of chats to its end, or until it has shown this number of `rows`. */
    readList: (query: Query, rows?: number, options: SendOptions = {}): Promise<ListWalk> =>
      readList(session, (page) => routes.list(page, options), query, { ...ofChats, rows }),
    readFavorites: (options: SendOptions = {}): Promise<ListWalk> =>
      readList(session, (query) => routes.favorites(options, query), {}, ofChats),
    readAttachments(chat: string, query: Query = {}, options: SendOptions = {}): Promise<ListWalk> {
      const pointer = shapes.attachmentCursor
      const open = (page: Query) => routes.attachments(chat, page, options)
      return readList(session, open, query, { pointer })
    },

    /** Tests if a response or a list mentions a chat, by id or by name, as both are legal. */
    mentions: (answer: Exchange | ListWalk, chat: Named): boolean => mentions(bodyOf(answer), chat),

    /** PATCH with the body of the profile, or with a guessed field `name`. */
    rename: (chat: string, name: string, options: SendOptions = {}): Promise<Exchange> =>
      to('v3.updateChat', chat, {
        json: fill(requests.patchChat ?? { name: '{name}' }, { name }),
        ...options,
      }),
    patch: (chat: string, json: unknown, options: SendOptions = {}): Promise<Exchange> =>
      to('v3.updateChat', chat, { json, ...options }),

    /** The value of the parameter that excludes favorites from a list; its type is not documented. */
    excludeFavorites: requests.excludeFavorites ?? 'true',

    /**
     * Follows the list of chats until all of these are found, or to its end. A cursor that counts rows is
     * legal, and skips some while other scenarios delete theirs: if a chat is missing, or not visible yet,
     * the list is followed again before that counts.
     */
    async follow(query: Query, chats: readonly Pick<Chat, 'id'>[]): Promise<ListWalk> {
      let walked: ListWalk | undefined
      const read = session.repeated(async () => {
        const walk = await routes.walkOnce(query, chats)
        walked = walked ? joined(walked, walk) : walk
        return walked
      })
      const isEnough = (walk: ListWalk) =>
        !walk.complete || chats.every(({ id }) => walk.pagesWith(id).length > 0)
      const delays = Array<number>(maxWalks - 1).fill(Math.min(session.settling.ms, pollMs))
      return readRepeatedly(read, isEnough, session, delays)
    },

    async walkOnce(query: Query, sought: readonly Pick<Chat, 'id'>[]): Promise<ListWalk> {
      const missing = new Set(sought.map(({ id }) => id))
      const isEnough = (page: Exchange) => {
        const body = bodyOfPage(page)
        for (const id of missing) if (contains(body, id)) missing.delete(id)
        return missing.size === 0
      }
      const open = async (page: Query) => {
        const list = await routes.list(page, { role: 'probe' })
        return page === query ? assumeAccepted(list, 'a list of chats') : list
      }
      return readList(session, open, query, { ...ofChats, isEnough })
    },

    /** Reads until `isEnough`, for as long as a change may take to become visible. */
    poll: <Result extends Exchange | ListWalk>(
      read: () => Promise<Result>,
      isEnough: (body: unknown, result: Result) => boolean,
    ): Promise<Result> =>
      pollEndpoints(
        session,
        read,
        (result) => isEnough(bodyOf(result), result),
        equalDelays(session.settling.ms),
      ),
  }
  return routes
}

function bodyOf(answer: Exchange | ListWalk): unknown {
  return 'pages' in answer ? answer.body : answerJson(answer)
}

type Named = Pick<Chat, 'id' | 'name'>

const parentOf = ({ path }: JsonLeaf) => path.slice(0, -1).join()

/** A name next to the id of another chat is the name of that chat. */
function mentions(body: unknown, { id, name }: Named): boolean {
  if (contains(body, id)) return true
  const leaves = leavesOf(body)
  const withIds = new Set(
    leaves.filter(({ path }) => chatIdNames.includes(path.at(-1) ?? '')).map(parentOf),
  )
  return leaves.some((leaf) => leaf.value === name && !withIds.has(parentOf(leaf)))
}

const maxWalks = 4

function joined(a: ListWalk, b: ListWalk): ListWalk {
  return {
    pages: [...a.pages, ...b.pages],
    body: [...a.body, ...b.body],
    complete: b.complete,
    isWhole: b.isWhole,
    pagesWith: (text) => [
      ...a.pagesWith(text),
      ...b.pagesWith(text).map((at) => at + a.pages.length),
    ],
  }
}
