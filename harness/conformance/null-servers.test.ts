import { describe, expect, test } from 'vitest'
import { TargetUnusableError } from './errors.ts'
import { check, lineOf, profileOf, rowsWith } from './test-support/check.ts'
import { listen } from './test-support/listen.ts'
import { nullServers } from './test-support/null-servers.ts'

/** A server that hangs is given up after so many requests in a row, each of which waits this long. */
const timeoutMs = 150
const fewSeconds = 10_000

describe('a server that does nothing proves nothing', () => {
  test.each(Object.entries(nullServers))('%s', { timeout: fewSeconds }, async (_, handler) => {
    expect(await provenBy(handler)).toEqual([])
  })
})

/** The rows that passed or failed by a fault of the kit, and whatever else must not be. */
async function provenBy(handler: Parameters<typeof listen>[0]): Promise<string[]> {
  const host = await listen(handler)
  const profile = profileOf({
    baseUrl: host.url,
    apiKey: 'a-key-of-some-length',
    capabilities: { reasoning: true, images: true },
    deterministic: true,
    tools: { search: 'file_search', name: 'get_time', ask: 'What time is it?' },
    limits: { timeoutMs, settleMs: 20 },
  })
  try {
    const report = await check(profile)
    return [
      ...rowsWith(report, 'pass', 'error').map(lineOf),
      ...report.faults.map(({ message }) => message),
      ...(report.outcome === 'conforms' ? ['the outcome is conforms'] : []),
    ]
  } catch (error) {
    // Nothing was judged at all.
    if (error instanceof TargetUnusableError) return []
    throw error
  } finally {
    await host.close()
  }
}
