import { type Exchange, operationAt, operations, requestPath } from '../../../contract/index.ts'

export interface Overruns {
  /** `why` is the end of a sentence about the request. */
  note(exchange: Exchange, why: string): void
  /** Why a request is not sent any more; undefined where it may be. */
  reasonAgainst(asked: Asked): string | undefined
}

type Asked = Pick<Exchange, 'request'>

/** So many answers of one route beyond a limit, and it is asked no more: the next would be alike. */
const tolerated = 3

/** Answers that passed a limit of the profile, by the route that they came from. */
export function createOverruns(): Overruns {
  const passed = new Map<string, { count: number; why: string }>()

  return {
    note(exchange, why) {
      const route = routeOf(exchange)
      passed.set(route, { count: (passed.get(route)?.count ?? 0) + 1, why })
    },
    reasonAgainst(asked) {
      const route = routeOf(asked)
      const { count, why } = passed.get(route) ?? { count: 0, why: '' }
      if (count < tolerated) return undefined
      return `${route} is not asked any more, for ${count} answers passed a limit; the last one ${why}`
    },
  }
}

/** With the names of its parameters in place of ids. */
function routeOf(exchange: Asked): string {
  const { method } = exchange.request
  const path = requestPath(exchange)
  const operation = operationAt(method, path)
  return `${method} ${operation === undefined ? path : operations[operation].path}`
}
