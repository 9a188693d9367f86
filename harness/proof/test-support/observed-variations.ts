import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Dimension,
  dimensions,
  type Exchange,
  restoreExchanges,
  valuesOf,
} from '../../../contract/index.ts'
import { targetFixture } from '../../../fixtures/targets.ts'
import { parsePace, startReferenceServer } from '../../../reference-server/index.ts'
import { loadProfile } from '../../conformance/profile/index.ts'
import { check } from '../../conformance/test-support/check.ts'
import { makeFolder, removeFolder } from '../../conformance/test-support/folders.ts'

/** Values of the exchanges that show a requirement. */
interface Observed {
  readonly values: Readonly<Record<string, readonly string[]>>
  /** Values of each exchange by itself. */
  readonly combinations: readonly ReturnType<typeof valuesOf>[]
}

/** Observes, for each requirement that passes, the values of the exchanges that show it, in a run of its own. */
export async function observedVariations(): Promise<ReadonlyMap<string, Observed>> {
  const outDir = makeFolder()
  const server = await startReferenceServer({
    pace: parsePace('ttft=2ms,gap=1ms'),
    keys: ['sk-first-throw-away', 'sk-second-throw-away'],
  })
  try {
    const [apiKey, otherKey] = server.keys
    const overrides = { baseUrl: server.url, apiKey, otherKey }
    const report = await check(loadProfile(targetFixture('reference'), {}, overrides), { outDir })
    const { exchanges } = restoreExchanges(readFileSync(join(outDir, 'exchanges.ndjson'), 'utf8'))
    const values = valuesByExchange(exchanges)
    return new Map(
      report.requirements
        .filter(({ verdict }) => verdict === 'pass')
        .map(({ id, exchanges: evidence }) => {
          const combinations = evidence.map((one) => values.get(one) ?? {})
          return [id, { values: union(combinations), combinations }]
        }),
    )
  } finally {
    await server.close()
    removeFolder(outDir)
  }
}

function valuesByExchange(exchanges: readonly Exchange[]) {
  const scenarios = Map.groupBy(exchanges, ({ labels }) => labels.scenario)
  return new Map(
    [...scenarios.values()].flatMap((all) => {
      const inOrder = all.toSorted((a, b) => a.labels.ordinal - b.labels.ordinal)
      return inOrder.map((one, at) => [one.id, valuesOf(one, inOrder.slice(0, at))] as const)
    }),
  )
}

/** Unites values, in the order in which the dimension lists them. */
function union(all: Observed['combinations']): Observed['values'] {
  return Object.fromEntries(
    Object.entries(dimensions).flatMap(([name, values]) => {
      const found = values.filter((value) => all.some((one) => one[name as Dimension] === value))
      return found.length === 0 ? [] : [[name, found]]
    }),
  )
}
