/** k6 as it comes, and a build of it that reads server-sent events. */
import { join } from 'node:path'
import { z } from 'zod'
import { bodyOf, type Order, type Peer, path, read, write } from './peer.ts'
import type { Pair } from './truth.ts'

export const k6: Peer = {
  name: 'k6',
  program: 'k6',
  version: ['version'],
  args: (order) =>
    runOf(
      order,
      `import http from 'k6/http'
${optionsOf(order)}
export default () => { http.post('${order.url}${path}', ${JSON.stringify(bodyOf(order))}, { headers: ${headersOf(order)} }) }
`,
    ),
  figures: (order) => ({
    ttft: null,
    gap: null,
    e2e: { pair: trendOf(order, 'http_req_duration'), of: 'ended' },
  }),
  note: 'reads an answer as a whole: no first token without an extension (xk6-sse)',
}

export const k6Sse: Peer = {
  name: 'k6 with xk6-sse',
  program: 'k6-sse',
  version: ['version'],
  args: (order) =>
    runOf(
      order,
      `import sse from 'k6/x/sse'
import { Trend } from 'k6/metrics'
const [ttft, gap, e2e] = ['ttft', 'gap', 'e2e'].map((name) => new Trend(name))
${optionsOf(order)}
const params = { method: 'POST', body: ${JSON.stringify(bodyOf(order))}, headers: ${headersOf(order)} }
export default () => {
  const start = Date.now()
  let latest = 0
  sse.open('${order.url}${path}', params, (client) => client.on('event', ({ data }) => {
    if (data === '[DONE]' || !JSON.parse(data).choices[0]?.delta?.content) return
    const now = Date.now()
    if (latest === 0) ttft.add(now - start)
    else gap.add(now - latest)
    latest = now
  }))
  e2e.add(Date.now() - start)
}
`,
    ),
  figures: (order) => ({
    ttft: trendOf(order, 'ttft'),
    gap: { pair: trendOf(order, 'gap'), of: 'gap' },
    e2e: { pair: trendOf(order, 'e2e'), of: 'ended' },
  }),
  note: 'k6 built with xk6-sse, as k6-sse on PATH; its script parses each event and reads a clock of milliseconds',
}

function runOf(order: Order, script: string): string[] {
  return [
    ...['run', '--quiet', '--no-usage-report', '--summary-trend-stats', 'med,p(99)'],
    ...['--summary-export', join(order.folder, 'k6.json'), write(order, 'k6.js', script)],
  ]
}

function optionsOf({ rate, seconds }: Order): string {
  const even = {
    ...{ executor: 'constant-arrival-rate', rate, timeUnit: '1s', duration: `${seconds}s` },
    ...{ preAllocatedVUs: rate * 4, maxVUs: rate * 8 },
  }
  return `export const options = ${JSON.stringify({ scenarios: { even } })}`
}

function headersOf({ key }: Order): string {
  return JSON.stringify({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
}

function trendOf(order: Order, name: string): Pair {
  const trend = z.object({ med: z.number(), 'p(99)': z.number() })
  const schema = z.object({ metrics: z.looseObject({ [name]: trend }) })
  const found = trend.parse(read(order, 'k6.json', schema).metrics[name])
  return [found.med, found['p(99)']]
}
