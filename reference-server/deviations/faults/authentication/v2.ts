/** Faults of who is let in on v2 (section 5). */
import { type RoutePattern, storeMessage, v2Generate } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'
import { admits, type MistakeName } from './credentials.ts'
import { answered, refusesRightKey } from './statuses.ts'

const routes: readonly (readonly [
  name: string,
  route: RoutePattern,
  mistakes: readonly MistakeName[],
])[] = [
  [
    'message',
    storeMessage,
    [
      'without-key',
      'with-key-of-that-length',
      'with-basic',
      'with-any-scheme',
      'with-beginning-of-key',
      'with-more-than-the-key',
    ],
  ],
  [
    'reply',
    v2Generate,
    [
      'without-key',
      'with-empty-key',
      'with-key-of-that-length',
      'with-basic',
      'with-beginning-of-key',
    ],
  ],
]

export const v2AuthFaults: readonly Fault[] = [
  ...routes.flatMap(([name, route, mistakes]) =>
    mistakes.map((mistake) => admits('v2', name, route, mistake)),
  ),
  ...routes.map(
    ([name, route]): Fault => ({
      name: `v2-auth-${name}-right-key-is-401`,
      summary: `${route} answers 401 to the right key.`,
      breaks: ['V2-AUTH-05'],
      patch: refusesRightKey(route, 401),
    }),
  ),
  ...routes.map(
    ([name, route]): Fault => ({
      name: `v2-auth-${name}-missing-key-is-500`,
      summary: `${route} answers 500 to a request without a key.`,
      breaks: ['V2-AUTH-06'],
      patch: answered(route, 500, (authorization) => authorization === ''),
    }),
  ),
]
