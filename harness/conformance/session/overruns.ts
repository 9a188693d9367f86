import { type Exchange, operationAt, operations, requestPath } from '../../../contract/index.ts'

export interface LimitBreaches {
  /** `why` is the end of a sentence about the request. */
  add(exchange: Exchange, why: string): void
  /** Why a request is not sent any more; undefined where it may be. */
  refusalReason(exchange: WithRequest): string | undefined
}

type WithRequest = Pick<Exchange, 'request'>

/** So many answers of one route beyond a limit, and it is exchange no more: the next would be alike. */
const maxBreaches = 3

/** Answers that passed a limit of the profile, by the route that they came from. */
export function createLimitBreaches(): LimitBreaches {
  const breaches = new Map<string, { count: number; why: string }>()

  return {
    add(exchange, why) {
      const route = routeOf(exchange)
      breaches.set(route, { count: (breaches.get(route)?.count ?? 0) + 1, why })
    },
    refusalReason(exchange) {
      const route = routeOf(exchange)
      const { count, why } = breaches.get(route) ?? { count: 0, why: '' }
      if (count < maxBreaches) return undefined
      return `${route} is not asked any more, for ${count} answers passed a limit; the last one ${why}`
    },
  }
}

/** With the names of its parameters in place of ids. */
function routeOf(exchange: WithRequest): string {
  const { method } = exchange.request
  const path = requestPath(exchange)
  const operation = operationAt(method, path)
  return `${method} ${operation === undefined ? path : operations[operation].path}`
}
