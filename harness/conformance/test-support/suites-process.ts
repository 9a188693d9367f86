/** Process of `sharedEngine`: the suites run inline only outside the threads of vitest. */
import { createRedactor } from '../../client/index.ts'
import type { RunSetup } from '../run-setup.ts'
import type { RunState } from '../session/run-state.ts'
import { secretsOf } from '../session/secrets.ts'
import { Collector } from '../vitest/collector.ts'
import { inlineEngine } from '../vitest/engine.ts'

export interface Order {
  readonly id: number
  readonly setup: RunSetup
  readonly titles: readonly string[] | undefined
}

type Collected = Pick<
  Collector,
  'scenarios' | 'results' | 'conditions' | 'faults' | 'unwritten' | 'stopReason'
>

export interface Delivery {
  readonly id: number
  readonly isStopped: boolean
  readonly state: RunState
  readonly collected: Collected
}

const exit = process.exit.bind(process)
const engine = inlineEngine()
/** An engine has one run at a time. */
let latest = Promise.resolve()

process.on('message', (order: Order) => {
  latest = latest.then(() => carryOut(order))
})
process.on('disconnect', () => exit())

async function carryOut({ id, setup, titles }: Order): Promise<void> {
  const collector = new Collector(() => {}, createRedactor(secretsOf(setup)).text)
  const isStopped = await engine.run(collector, setup, undefined, titles)
  const { scenarios, results, conditions, faults, unwritten, stopReason } = collector
  const collected = { scenarios, results, conditions, faults, unwritten, stopReason }
  process.send?.({ id, isStopped, state: setup.state, collected } satisfies Delivery)
}
