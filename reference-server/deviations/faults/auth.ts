/** Faults of authentication on the compatible surface and on v3 (section 5). */
import type { RequirementId } from '../../../harness/contract/index.ts'
import type { Refit } from '../../parts.ts'
import {
  completions,
  generation,
  history,
  isAt,
  modelList,
  newChat,
  onRefusal,
  onReply,
  type Place,
} from '../seams.ts'
import { together } from '../together.ts'
import type { Fault } from '../types.ts'
import { fault } from './fault.ts'

/** What passes for the key, and why; `authorization` is the header, `key` the right one. */
export const mistakes = {
  'without-key': {
    row: 'AUTH-01',
    what: 'no Authorization at all',
    passes: (authorization: string) => authorization === '',
  },
  'with-empty-key': {
    row: 'AUTH-01',
    what: 'the scheme without a key',
    passes: (authorization: string) => authorization === 'Bearer',
  },
  'with-key-of-that-length': {
    row: 'AUTH-02',
    what: 'any key that is as long as the right one',
    passes: (authorization: string, key: string) => bearer(authorization)?.length === key.length,
  },
  'with-basic': {
    row: 'AUTH-03',
    what: 'the key as the password of Basic',
    passes: (authorization: string, key: string) => password(authorization) === key,
  },
  'with-any-scheme': {
    row: 'AUTH-03',
    what: 'the key under any scheme',
    passes: (authorization: string, key: string) => authorization.split(' ')[1] === key,
  },
  'with-beginning-of-key': {
    row: 'AUTH-04',
    what: 'the beginning of the key',
    passes: (authorization: string, key: string) => key.startsWith(bearer(authorization) ?? '?'),
  },
  'with-more-than-the-key': {
    row: 'AUTH-04',
    what: 'whatever begins with the key',
    passes: (authorization: string, key: string) => bearer(authorization)?.startsWith(key) === true,
  },
} as const satisfies Record<string, Mistake>

interface Mistake {
  readonly row: string
  readonly what: string
  readonly passes: (authorization: string, key: string) => boolean
}

export type MistakeName = keyof typeof mistakes
const areas = { openai: 'OAI', v2: 'V2', v3: 'V3' } as const
export const everyMistake = Object.keys(mistakes) as readonly MistakeName[]

/** The routes at the heart of a surface take every mistake, the others some. */
const openaiRoutes: Readonly<Record<string, Place>> = { chat: completions, models: modelList }
const v3Routes: Readonly<Record<string, Place>> = {
  'create-chat': newChat,
  history,
  generate: generation,
}
export const v3OtherRoutes: Readonly<Record<string, readonly [Place, MistakeName]>> = {
  'list-chats': ['GET /api/v3/chat', 'with-key-of-that-length'],
  favorites: ['GET /api/v3/chat/favorite', 'with-basic'],
  'read-chat': ['GET /api/v3/chat/:chat_id', 'with-any-scheme'],
  'update-chat': ['PATCH /api/v3/chat/:chat_id', 'with-beginning-of-key'],
  'delete-chat': ['DELETE /api/v3/chat/:chat_id', 'with-more-than-the-key'],
  'add-favorite': ['POST /api/v3/chat/:chat_id/favorite', 'with-empty-key'],
  'remove-favorite': ['DELETE /api/v3/chat/:chat_id/favorite', 'with-key-of-that-length'],
  'name-chat': ['POST /api/v3/chat/:chat_id/generate-name', 'with-any-scheme'],
  'one-shot': ['POST /api/v3/message/one-shot', 'with-beginning-of-key'],
  upload: ['POST /api/v3/attachment', 'with-any-scheme'],
  'list-files': ['GET /api/v3/attachment', 'with-key-of-that-length'],
  'chat-files': ['GET /api/v3/chat/:chat_id/attachments', 'with-more-than-the-key'],
  bases: ['GET /api/v3/knowledge', 'with-basic'],
  'search-base': ['GET /api/v3/knowledge/:base_id/search', 'with-empty-key'],
}

const admissions: readonly Fault[] = [
  ...Object.entries(openaiRoutes).flatMap(([name, place]) =>
    everyMistake.map((mistake) => admits('openai', name, place, mistake)),
  ),
  ...Object.entries(v3Routes).flatMap(([name, place]) =>
    everyMistake.map((mistake) => admits('v3', name, place, mistake)),
  ),
  ...Object.entries(v3OtherRoutes).flatMap(([name, [place, mistake]]) =>
    (['without-key', mistake] as const).map((one) => admits('v3', name, place, one)),
  ),
]

const refusals: readonly Fault[] = [
  fault(
    'openai-auth-missing-key-is-403',
    'OAI-AUTH-01',
    'A request without a key is answered with 403.',
    answered(
      completions,
      403,
      (authorization) => bearer(authorization) === undefined && authorization.split(' ').length < 2,
    ),
  ),
  fault(
    'openai-auth-missing-key-is-200',
    'OAI-AUTH-01',
    'GET /models without a key is answered with an error in a 200.',
    answered(modelList, 200, (authorization) => authorization === ''),
  ),
  fault(
    'openai-auth-wrong-key-is-403',
    ['OAI-AUTH-02', 'OAI-AUTH-04'],
    'A request with a wrong key is answered with 403.',
    answered(completions, 403, (authorization) => bearer(authorization) !== undefined),
  ),
  fault(
    'openai-auth-other-scheme-is-400',
    'OAI-AUTH-03',
    'A request with another scheme is answered with 400.',
    answered(modelList, 400, (authorization) => /^(Basic|Token) /.test(authorization)),
  ),
  fault(
    'openai-auth-key-of-other-length-is-500',
    'OAI-AUTH-04',
    'The comparison of keys fails on keys of other lengths.',
    answered(completions, 500, isOfOtherLength),
  ),
  fault(
    'v3-auth-key-of-other-length-is-500',
    'V3-AUTH-06',
    'The comparison of keys fails on keys of other lengths.',
    answered(history, 500, isOfOtherLength),
  ),
  fault(
    'v3-auth-missing-key-is-500',
    'V3-AUTH-06',
    'GET /chat without a key is answered with 500.',
    answered('GET /api/v3/chat', 500, (authorization) => authorization === ''),
  ),
  ...([401, 403] as const).flatMap((status) => [
    fault(
      `openai-auth-right-key-is-${status}`,
      'OAI-AUTH-05',
      `POST /chat/completions answers ${status} to the right key.`,
      refusesRightKey(completions, status),
    ),
    fault(
      `v3-auth-right-key-is-${status}`,
      'V3-AUTH-05',
      `POST /message/generate answers ${status} to the right key.`,
      refusesRightKey(generation, status),
    ),
  ]),
]

const silentDeeds: readonly Fault[] = (
  [
    ['generates', generation],
    ['renames', 'PATCH /api/v3/chat/:chat_id'],
    ['deletes', 'DELETE /api/v3/chat/:chat_id'],
  ] as const
).map(([deed, place]) =>
  fault(
    `v3-auth-refuses-and-${deed}`,
    'V3-AUTH-01',
    `Without a key, ${place} is answered with 401, and done all the same.`,
    together([
      admitting(place, mistakes['without-key'].passes),
      onReply(place, (reply, { headers }) =>
        headers.authorization === undefined ? { status: 401, body: { error: 'no key' } } : reply,
      ),
    ]),
  ),
)

export const authFaults: readonly Fault[] = [...admissions, ...refusals, ...silentDeeds]

/** A route is open to who makes that mistake. */
export function admits(
  surface: keyof typeof areas,
  route: string,
  place: Place,
  name: MistakeName,
): Fault {
  const { row, what, passes } = mistakes[name]
  const breaks: RequirementId = `${areas[surface]}-${row}`
  const summary = `${place} is open to ${what}.`
  return fault(`${surface}-auth-${route}-${name}`, breaks, summary, admitting(place, passes))
}

/** Whoever passes by mistake passes for the first caller. */
export function admitting(place: Place, passes: Mistake['passes']): Refit {
  return (parts) => ({
    ...parts,
    authenticate: (authorization, request) => {
      const [key = ''] = parts.keys
      const admitted = isAt(place, request) && passes(authorization ?? '', key)
      return parts.authenticate(authorization, request) ?? (admitted ? 'caller-1' : undefined)
    },
  })
}

/** Who is not let in is told so with another status. */
export function answered(
  place: Place,
  status: number,
  when: (authorization: string, key: string) => boolean,
): Refit {
  return (parts) =>
    onRefusal(
      place,
      (reply) => ({ ...reply, status }),
      ({ caller, headers }) =>
        caller === '' && when(headers.authorization ?? '', parts.keys[0] ?? ''),
    )(parts)
}

export function refusesRightKey(place: Place, status: number): Refit {
  return onReply(place, (reply, { caller }) =>
    caller === '' ? reply : { status, body: { error: 'Who are you?' } },
  )
}

function isOfOtherLength(authorization: string, key: string): boolean {
  return (bearer(authorization) ?? key).length !== key.length
}

function bearer(authorization: string): string | undefined {
  return /^Bearer (\S+)$/.exec(authorization)?.[1]
}

function password(authorization: string): string | undefined {
  const [scheme, encoded = ''] = authorization.split(' ')
  if (scheme !== 'Basic') return undefined
  return Buffer.from(encoded, 'base64').toString().split(':')[1]
}
