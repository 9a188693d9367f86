/** Section 9: `/api/v3/knowledge` duplicates `/api/knowledge`. */
import type { Route } from '../../http/call.ts'
import type { Services } from '../../services.ts'
import { baseRoutes } from './bases.ts'
import { documentRoutes } from './documents.ts'
import { searchRoutes } from './search.ts'

/** Nothing below the prefix is shown by the document: all of it is an addition of ours. */
export function knowledgeRoutes(services: Services): readonly Route[] {
  return ['/api/knowledge', '/api/v3/knowledge'].flatMap((prefix) => [
    ...baseRoutes(prefix, services),
    ...documentRoutes(prefix, services),
    ...searchRoutes(prefix, services),
  ])
}
