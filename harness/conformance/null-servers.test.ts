import { describe, expect, test } from 'vitest'
import { TargetUnusableError } from './errors.ts'
import { check, lineOf, profileOf, rowsWith } from './test-support/check.ts'
import { listen } from './test-support/listen.ts'
import { nullServers } from './test-support/null-servers.ts'

/** A server that hangs is given up after so many requests in a row, each of which waits this long. */
const timeoutMs = 150
const fewSeconds = 10_000

/**
 * The one exception: a completion that has the right form whatever was asked. Rows about the form
 * and rows that only say that something is accepted hold, and truly so; none that looks at what an
 * answer says may be among them.
 */
const whatAnyCompletionProves = [
  ...ids('OAI-CHAT', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15),
  ...ids('OAI-TEMP', 1),
  ...ids('OAI-TOPP', 1),
  ...ids('OAI-MODELS', 2, 3),
]

const exceptions: Readonly<Record<string, readonly string[]>> = {
  'one recorded completion for every POST': whatAnyCompletionProves,
}

describe('a server that does nothing proves nothing', () => {
  test.each(Object.entries(nullServers))('%s', { timeout: fewSeconds }, async (name, handler) => {
    const allowed = (exceptions[name] ?? []).map((id) => `${id} pass`)
    const proven = await provenBy(handler)
    expect(proven.filter((line) => !allowed.includes(line))).toEqual([])
  })
})

/** The rows that passed, and whatever else must not be said of such a server. */
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
    const report = await check(profile, { jobs: 8 })
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

function ids(area: string, ...numbers: readonly number[]): string[] {
  return numbers.map((number) => `${area}-${String(number).padStart(2, '0')}`)
}
