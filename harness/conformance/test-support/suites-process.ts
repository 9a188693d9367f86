/** Process of `sharedEngine`: the suites run inline only outside the threads of vitest. */
import { createRedactor } from '../../client/index.ts'
import type { RunSetup } from '../run-setup.ts'
import { secretsOf } from '../session/secrets.ts'
import { Collector } from '../vitest/collector.ts'
import { inlineEngine } from '../vitest/engine.ts'

export interface Order {
  readonly id: number
  readonly setup: RunSetup
  readonly titles: readonly string[] | undefined
}

export type Delivery = Awaited<ReturnType<typeof carryOut>>

const exit = process.exit.bind(process)
const engine = inlineEngine()
/** An engine has one run at a time. */
let latest = Promise.resolve()

process.on('message', (order: Order) => {
  latest = latest.then(async () => {
    process.send?.(await carryOut(order))
  })
})
process.on('disconnect', () => exit())

async function carryOut({ id, setup, titles }: Order) {
  const collector = new Collector(() => {}, createRedactor(secretsOf(setup)).text)
  const isStopped = await engine.run(collector, setup, undefined, titles)
  const { scenarios, results, conditions, faults, unwritten, stopReason } = collector
  const collected = { scenarios, results, conditions, faults, unwritten, stopReason }
  return { id, isStopped, state: setup.state, collected }
}
