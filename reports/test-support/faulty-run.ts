import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Exchange, restoreExchanges } from '../../contract/index.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { targetFixture } from '../../fixtures/targets.ts'
import { loadProfile } from '../../harness/conformance/profile/index.ts'
import { runConformance } from '../../harness/conformance/run.ts'
import { compose, faults } from '../../reference-server/deviations/index.ts'
import { parsePace, startReferenceServer } from '../../reference-server/index.ts'
import { reportToJson } from '../text/digest.ts'

export interface FaultyRun {
  readonly report: ConformanceReport
  readonly exchanges: ReadonlyMap<string, Exchange>
}

/** Violations, of each kind one: an event of a stream, a body, a status that is wrong, what is only expected. */
export const severalFaults = [
  'openai-object-missing',
  'openai-temperature-above-2-accepted',
  'openai-hears-the-last-message',
  'openai-auth-models-without-key',
  'stream-number-repeated-once',
]

/**
 * The results of a whole run against the reference server with these faults; its profile leaves
 * retrieval unsaid and says that there is no video, so that rows of every verdict come up.
 */
export async function faultyRun(
  outDir: string,
  names: readonly string[] = severalFaults,
): Promise<FaultyRun> {
  const chosen = faults.filter(({ name }) => names.includes(name))
  if (chosen.length !== names.length) throw new Error(`not all of these exist: ${names.join(', ')}`)
  const server = await startReferenceServer({
    patch: compose(chosen.map(({ patch }) => patch)),
    pace: parsePace('ttft=6ms,gap=1ms'),
    keys: ['sk-the-first-caller-0001', 'sk-the-second-caller-0002'],
  })
  try {
    const [apiKey, otherKey] = server.keys
    const { capabilities, ...profile } = loadProfile(
      targetFixture('reference'),
      {},
      {
        baseUrl: server.url,
        apiKey,
        otherKey,
      },
    )
    const { rag: _, ...otherCapabilities } = capabilities
    const report = await runConformance({
      profile: { ...profile, capabilities: { ...otherCapabilities, video: false } },
      selection: { profile: 'full', only: [], skip: [] },
      seed: 'a-seed',
      jobs: 16,
      outDir,
    })
    writeFileSync(join(outDir, 'report.json'), reportToJson(report))
    return { report, exchanges: storedExchanges(outDir) }
  } finally {
    await server.close()
  }
}

function storedExchanges(dir: string): ReadonlyMap<string, Exchange> {
  const { exchanges } = restoreExchanges(readFileSync(join(dir, 'exchanges.ndjson'), 'utf8'))
  return new Map(exchanges.map((exchange) => [exchange.id, exchange]))
}
