import {
  type Exchange,
  operationAt,
  operations,
  requestPath,
  succeeded,
} from '../../contract/index.ts'
import type { Cost } from './run-setup.ts'

/** The cost of a run after one more exchange. Only what succeeded has generated or created. */
export function addExchangeCost(before: Cost, exchange: Exchange): Cost {
  const { method } = exchange.request
  const operation = operationAt(method, requestPath(exchange))
  const done = operation !== undefined && succeeded(exchange)
  return {
    requests: before.requests + 1,
    generations: before.generations + Number(done && 'generates' in operations[operation]),
    chats: before.chats + Number(done && operation === 'v3.createChat'),
    uploads: before.uploads + Number(done && operation === 'v3.upload'),
  }
}
