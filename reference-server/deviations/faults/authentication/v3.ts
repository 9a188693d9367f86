/** Faults of who is let in on v3: each mistake on each route, in streams, and behind a refusal. */
import type { RequirementId } from '../../../../contract/index.ts'
import { ApiError } from '../../../http/errors.ts'
import type { Patch } from '../../../services.ts'
import { toObject } from '../../patches/json.ts'
import { onReply } from '../../patches/replies.ts'
import { onRequest } from '../../patches/requests.ts'
import {
  addFavorite,
  changeChat,
  createChat,
  deleteChat,
  nameChat,
  oneShot,
  type RoutePattern,
  removeFavorite,
  upload,
  v3Generate,
  v3History,
} from '../../patches/routes.ts'
import { compose } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'
import { admits, admitting, everyMistake, type MistakeName, mistakes } from './credentials.ts'
import { v3OtherRoutes } from './routes.ts'
import { refusesRightKey } from './statuses.ts'

/** What the faults of each route leave out. */
const admissions: readonly Fault[] = Object.entries(v3OtherRoutes).flatMap(
  ([name, [route, told]]) =>
    everyMistake
      .filter((mistake) => mistake !== 'without-key' && mistake !== told)
      .map((mistake) => admits('v3', name, route, mistake)),
)

const newDocument: RoutePattern = 'POST /api/v3/knowledge/:base_id/documents'

const documents: readonly Fault[] = everyMistake.map((mistake) =>
  admits('v3', 'add-document', newDocument, mistake),
)

const rightKeys: readonly Fault[] = Object.entries({
  'create-chat': createChat,
  history: v3History,
}).map(
  ([name, route]): Fault => ({
    name: `v3-auth-${name}-right-key-is-401`,
    summary: `${route} answers 401 to the right key.`,
    breaks: ['V3-AUTH-05'],
    patch: refusesRightKey(route, 401),
  }),
)

const streams: readonly Fault[] = Object.entries({ generate: v3Generate, 'one-shot': oneShot })
  .flatMap(([name, route]) => everyMistake.map((mistake) => [name, route, mistake] as const))
  .map(
    ([name, route, mistake]): Fault => ({
      name: `v3-auth-${name}-streams-${mistake}`,
      summary: `${route} streams to ${mistakes[mistake].what}; one JSON body is refused.`,
      breaks: [rowOf(mistake)],
      patch: admittingStreams(route, mistake),
    }),
  )

const deeds: Readonly<Record<string, RoutePattern>> = {
  creates: createChat,
  renames: changeChat,
  deletes: deleteChat,
  'adds-a-favorite': addFavorite,
  'removes-a-favorite': removeFavorite,
  names: nameChat,
  uploads: upload,
}

/** What is refused without a key and done all the same; two such deeds are told in `auth.ts`. */
const silentDeeds: readonly Fault[] = Object.entries(deeds)
  .flatMap(([deed, route]) =>
    (['without-key', 'with-key-of-that-length'] as const).map(
      (mistake) => [deed, route, mistake] as const,
    ),
  )
  .filter(
    ([deed, , mistake]) => mistake !== 'without-key' || !['renames', 'deletes'].includes(deed),
  )
  .map(
    ([deed, route, mistake]): Fault => ({
      name: `v3-auth-refuses-and-${deed}-${mistake}`,
      summary: `${route} answers 401 to ${mistakes[mistake].what}, and does it all the same.`,
      breaks: [rowOf(mistake)],
      patch: compose([
        admitting(route, mistakes[mistake].passes),
        (services) =>
          onReply(route, (reply, { headers }) =>
            isMistake(mistake, headers.authorization, services.keys)
              ? { status: 401, body: { error: 'Who are you?' } }
              : reply,
          )(services),
      ]),
    }),
  )

export const credentialMistakeFaults: readonly Fault[] = [
  ...admissions,
  ...documents,
  ...rightKeys,
  ...streams,
  ...silentDeeds,
]

/** Who is let in is known before the body is: whoever asks for no stream is refused later. */
function admittingStreams(route: RoutePattern, mistake: MistakeName): Patch {
  return compose([
    admitting(route, mistakes[mistake].passes),
    (services) =>
      onRequest(route, (call) => {
        const known = !isMistake(mistake, call.headers.authorization, services.keys)
        if (known || toObject(call.body)['stream'] === true) return call
        throw new ApiError(401, 'A valid API key is required')
      })(services),
  ])
}

/** Some mistakes are so wide that the right key passes as well. */
function isMistake(
  name: MistakeName,
  authorization = '',
  [key = '', ...others]: readonly string[],
): boolean {
  const isRight = [key, ...others].some((one) => authorization === `Bearer ${one}`)
  return !isRight && mistakes[name].passes(authorization, key)
}

function rowOf(name: MistakeName): RequirementId {
  return `V3-${mistakes[name].row}`
}
