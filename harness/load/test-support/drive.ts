/** The engine in this very thread, with constant arrivals of one kind: for tests and figures of its own. */

import { Chats } from '../engine/chats.ts'
import { RunClock } from '../engine/clock.ts'
import { originOf } from '../engine/connection.ts'
import { Connections } from '../engine/connections.ts'
import { Crew } from '../engine/crew.ts'
import { Driver } from '../engine/driver.ts'
import { plainTarget } from '../engine/target.ts'
import { IntegrityLedger } from '../judging/integrity-ledger.ts'
import type { Kind } from '../plan/mix.ts'
import { mixEntry } from '../plan/mix.ts'
import type { PlanSpec } from '../plan/plan.ts'
import type { RequestRecord } from '../record.ts'

export interface DriveOptions {
  readonly url: string
  readonly key: string
  /** At most so many at once; what is due meanwhile waits. */
  readonly connections: number
  readonly perSecond: number
  readonly seconds: number
  readonly drainSeconds: number
  readonly kind?: Kind
}

/** @throws the faults of the engine */
export async function drive(options: DriveOptions): Promise<readonly RequestRecord[]> {
  const { url, connections, perSecond, seconds, drainSeconds, kind = 'openai-json' } = options
  const clock = new RunClock(process.hrtime.bigint())
  const target = { ...plainTarget(url, options.key), timeoutMs: 20_000 }
  const origin = originOf(url)
  const preparing = new Connections(origin, clock, true)
  const crew = new Crew({
    clock,
    target,
    connections: new Connections(origin, clock, true, connections),
    chats: new Chats(preparing, target, '0'),
    ledger: new IntegrityLedger(),
  })
  const spec: PlanSpec = {
    seed: 'drive',
    mix: { name: kind, entries: [mixEntry({ name: kind, kind })] },
    arrival: { kind: 'constant', perSecond },
    durationNs: seconds * 1e9,
    misbehaviour: { slowReader: 0, abort: 0, churn: 0 },
    idempotencyRaces: 0,
  }
  const faults: unknown[] = []
  const part = { index: 0, of: 1 }
  await new Driver(
    { spec, part, drainNs: drainSeconds * 1e9, mostInFlight: 10_000 },
    crew,
    (error) => faults.push(error),
  ).run()
  crew.connections.close()
  preparing.close()
  if (faults.length > 0) throw faults[0]
  return crew.takeRecords()
}
