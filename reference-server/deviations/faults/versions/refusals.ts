/** Faults of the refusal of a chat of the other version, and of its hint (sections 3, 7 and 9). */
import type { RequirementId } from '../../../../contract/index.ts'
import type { Reply, ValueReply } from '../../../http/call.ts'
import type { Patch } from '../../../services.ts'
import { isText, toObject } from '../../patches/json.ts'
import { onError, onReply } from '../../patches/replies.ts'
import {
  addFavorite,
  changeChat,
  chatFiles,
  deleteChat,
  nameChat,
  type RoutePattern,
  readChat,
  removeFavorite,
  routeText,
  storeMessage,
  v2Generate,
  v3Generate,
  v3History,
} from '../../patches/routes.ts'
import type { Fault } from '../../table.ts'
import { faultTable } from '../../table.ts'

type Acceptance = readonly [requirement: RequirementId, route: RoutePattern, body: object]
const emptyPage = { result: [], pagination: { cursor: null } }

const response = { id: 'resp_1', object: 'response', status: 'completed', output: [] }
export const versionRefusalFaults: readonly Fault[] = [
  ...faultTable({
    'VER-04': {
      'version-stream-accepted: A streaming generation in a v2 chat is accepted, a non-streaming one is rejected.':
        onReply(v3Generate, (reply, { body }) =>
          isRefusal(reply) && toObject(body)['stream'] === true
            ? { status: 200, body: response }
            : reply,
        ),
    },
    'VER-05': {
      'version-hint-vague: PATCH /chat/{chat_id} rejects a v2 chat with a hint that names the version but no prefix.':
        changeHint(changeChat, () => 'This chat has version v2'),
    },
  }),
  ...acceptOtherVersion({
    history: ['VER-03', v3History, emptyPage],
    generation: ['VER-04', v3Generate, response],
    read: ['VER-05', readChat, { id: 'known' }],
    update: ['VER-05', changeChat, { id: 'known' }],
    title: ['VER-05', nameChat, { name: 'A title' }],
    'favorite-added': ['VER-05', addFavorite, { ok: true }],
    'favorite-removed': ['VER-05', removeFavorite, { ok: true }],
    files: ['VER-05', chatFiles, emptyPage],
    deletion: ['VER-05', deleteChat, { ok: true }],
    message: ['VER-07', storeMessage, { id: 'known' }],
    reply: ['VER-08', v2Generate, { message: { content: 'Blue.' } }],
  }),
  ...changeHints('another', 'the hint names the requested prefix', (hint) =>
    hint.replaceAll(/v[23]/g, (version) => (version === 'v2' ? 'v3' : 'v2')),
  ),
  ...changeHints('missing', 'the error is "No such chat" without a hint', () => 'No such chat'),
  failWith500('history', v3History),
  failWith500('generation', v3Generate),
  failWith500('deletion', deleteChat),
  failWith500('message', storeMessage),
  failWith500('reply', v2Generate),
]
/** The refusal of a chat of the other version. */
export function isRefusal(reply: Reply): boolean {
  return reply.status === 409 && 'body' in reply && JSON.stringify(reply.body).includes('use /api/')
}

/** One route accepts a chat of the other version. */
function acceptOtherVersion(routes: Readonly<Record<string, Acceptance>>): readonly Fault[] {
  return Object.entries(routes).map(
    ([name, [requirement, route, body]]): Fault => ({
      name: `version-${name}-accepted`,
      summary: `${routeText(route)} accepts a chat of the other version.`,
      breaks: [requirement],
      patch: onReply(route, (reply) => (isRefusal(reply) ? { status: 200, body } : reply)),
    }),
  )
}

/** One route rejects a chat of the other version with another message. */
function changeHints(
  name: string,
  what: string,
  words: (hint: string) => string,
): readonly Fault[] {
  const routes: readonly (readonly [string, RequirementId, RoutePattern])[] = [
    ['history', 'VER-03', v3History],
    ['generation', 'VER-04', v3Generate],
    ['read', 'VER-05', readChat],
    ['deletion', 'VER-05', deleteChat],
    ['message', 'VER-07', storeMessage],
    ['reply', 'VER-08', v2Generate],
  ]
  return routes.map(
    ([operation, requirement, route]): Fault => ({
      name: `version-${operation}-hint-${name}`,
      summary: `${routeText(route)} rejects a chat of the other version, but ${what}.`,
      breaks: [requirement],
      patch: changeHint(route, words),
    }),
  )
}

function changeHint(route: RoutePattern, words: (hint: string) => string): Patch {
  return onError(route, (reply) => {
    const { detail } = toObject(reply.body)
    if (!isRefusal(reply) || !isText(detail)) return reply
    return { ...reply, body: { error: words(detail) } }
  })
}

function failWith500(name: string, route: RoutePattern): Fault {
  return {
    name: `version-${name}-500`,
    summary: `${routeText(route)} returns 500 with the hint for a chat of the other version.`,
    breaks: ['VER-10'],
    patch: onError(
      route,
      (reply): ValueReply => (isRefusal(reply) ? { ...reply, status: 500 } : reply),
    ),
  }
}
