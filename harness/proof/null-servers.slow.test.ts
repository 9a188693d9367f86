import { expect, test } from 'vitest'
import { listen } from '../client/test-support/listen-on-loopback.ts'
import { TargetUnusableError } from '../conformance/errors.ts'
import { check, lineOf, profileOf, requirementsWith } from '../conformance/test-support/check.ts'
import { nullServers } from './null-servers.ts'

/** Timeout of each request; a server that hangs is given up after several consecutive timeouts. */
const timeoutMs = 150
/** Maximum number of requests: some are in flight when the circuit opens, and chats may need deletion. */
const fewRequests = 60

test.each(['reset', 400, 404, 500] as const)(
  'a server that fails all requests passes nothing (%s)',
  async (how) => {
    const proven = await provenBy((request, response) => {
      // The preflight must be answered, otherwise there is no run.
      if (String(request.headers['x-request-id']).includes('/preflight/')) response.end('{}')
      else if (how === 'reset') request.socket.resetAndDestroy()
      else response.writeHead(how).end()
    })
    expect(proven).toEqual([])
  },
)

test.each(['silence after the headers', '503 without Retry-After'])(
  'a run against %s ends early',
  async (name) => {
    let requestCount = 0
    await provenBy((request, response) => {
      requestCount += 1
      nullServers[name]?.(request, response)
    })
    expect(requestCount).toBeLessThan(fewRequests)
  },
)

/** A server that is sometimes too slow: a request that a verdict depends on may get no response. */
test.each(['400 for everything', 'an echo of the body', 'a page of HTML'])(
  'requests without timely responses prove nothing (%s)',
  async (name) => {
    for (const share of [2, 3, 5]) {
      let requestCount = 0
      const proven = await provenBy((request, response) => {
        requestCount += 1
        const isPreflight = String(request.headers['x-request-id']).includes('/preflight/')
        if (isPreflight || requestCount % share === 0) nullServers[name]?.(request, response)
      })
      expect(proven).toEqual([])
    }
  },
)

type Handler = Parameters<typeof listen>[0]

/** The requirements that passed, and other results that such a server must not get. */
async function provenBy(handler: Handler): Promise<string[]> {
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
      ...requirementsWith(report, 'pass', 'error').map(lineOf),
      ...report.faults.map(({ message }) => message),
      ...(report.outcome === 'conforms' ? ['the outcome is conforms'] : []),
    ]
  } catch (error) {
    // Nothing was judged.
    if (error instanceof TargetUnusableError) return []
    throw error
  } finally {
    await host.close()
  }
}
