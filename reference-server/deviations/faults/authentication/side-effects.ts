/** Faults of requests that are rejected with 401 but still take effect (section 5). */
import { onReply } from '../../patches/replies.ts'
import {
  addFavorite,
  changeChat,
  createChat,
  deleteChat,
  nameChat,
  type RoutePattern,
  removeFavorite,
  routeText,
  upload,
  v3Generate,
} from '../../patches/routes.ts'
import { compose } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'
import { acceptCredential, isMistake, type MistakeName, mistakes } from './credentials.ts'

const withKeyOfThatLength: Readonly<Record<string, RoutePattern>> = {
  creates: createChat,
  renames: changeChat,
  deletes: deleteChat,
  'adds-a-favorite': addFavorite,
  'removes-a-favorite': removeFavorite,
  names: nameChat,
  uploads: upload,
}

const withoutKey: Readonly<Record<string, RoutePattern>> = {
  generates: v3Generate,
  renames: changeChat,
  deletes: deleteChat,
  'creates-without-key': createChat,
  'adds-a-favorite-without-key': addFavorite,
  'removes-a-favorite-without-key': removeFavorite,
  'names-without-key': nameChat,
  'uploads-without-key': upload,
}

export const authenticationSideEffectFaults: readonly Fault[] = [
  ...Object.entries(withoutKey).map(([name, route]) => sideEffect(name, route, 'without-key')),
  ...Object.entries(withKeyOfThatLength).map(([name, route]) =>
    sideEffect(`${name}-with-key-of-that-length`, route, 'with-key-of-that-length'),
  ),
]

function sideEffect(name: string, route: RoutePattern, mistake: MistakeName): Fault {
  const { requirement, description, accepts } = mistakes[mistake]
  return {
    name: `v3-auth-refuses-and-${name}`,
    summary: `${routeText(route)} returns 401 for ${description} but still takes effect.`,
    breaks: [`V3-${requirement}`],
    patch: compose([
      acceptCredential(route, accepts),
      (services) =>
        onReply(route, (reply, { headers }) =>
          isMistake(mistake, headers.authorization, services.keys)
            ? { status: 401, body: { error: 'A valid API key is required' } }
            : reply,
        )(services),
    ]),
  }
}
