/** A process that judges services by their URLs: the suites run inline only outside the threads of vitest. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { targetFixture } from '../../../fixtures/targets.ts'
import { loadProfile } from '../../conformance/profile/index.ts'
import { inlineEngine, runConformance } from '../../conformance/run.ts'

export interface Judged {
  readonly urls: readonly string[]
  readonly keys: readonly [string, string]
  readonly settleMs: number
  readonly only: readonly string[]
  /** Scenarios in flight. */
  readonly jobs: number
}

const exit = process.exit.bind(process)
const engine = inlineEngine()

process.on('message', async (message) => {
  process.send?.(await judge(message as Judged))
})
process.on('disconnect', () => exit())

async function judge({ urls, keys: [apiKey, otherKey], settleMs, only, jobs }: Judged) {
  const outDir = mkdtempSync(join(tmpdir(), 'chatgen-judged-'))
  try {
    const profile = loadProfile(
      targetFixture('reference'),
      {},
      {
        baseUrl: urls[0],
        baseUrls: urls,
        apiKey,
        otherKey,
        limits: { settleMs, timeoutMs: 20_000 },
      },
    )
    return await runConformance({
      profile,
      selection: { profile: 'full', only, skip: [] },
      outDir,
      jobs,
      seed: 'replicas',
      engine,
    })
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}
