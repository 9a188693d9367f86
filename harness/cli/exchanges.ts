import { existsSync, readFileSync } from 'node:fs'
import { type Exchange, restoreExchange } from '../contract/index.ts'

/**
 * The exchanges of a run by id. A last line that was cut by a crash is left out; where the file is
 * gone, so is the evidence, and the verdicts stand without it.
 */
export function readExchanges(file: string): ReadonlyMap<string, Exchange> {
  const exchanges = new Map<string, Exchange>()
  if (!existsSync(file)) return exchanges
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  for (const [at, line] of lines.entries()) {
    try {
      const exchange = restoreExchange(JSON.parse(line))
      exchanges.set(exchange.id, exchange)
    } catch (error) {
      if (at < lines.length - 1) throw error
    }
  }
  return exchanges
}
