/**
 * A server that stands still for 5 s once, as the engine of `chatgen load` sees it over few connections:
 * response time is counted from when a request was due, service time from when it left the client.
 *
 *   node scripts/coordinated-omission.ts [--rate 100] [--seconds 30] [--connections 20] [--freeze 5s@10s]
 */
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { childServer } from '../harness/load/child-server.ts'
import { latencyOf } from '../harness/load/metrics/samples/latency-definitions.ts'
import { drive } from '../harness/load/test-support/drive.ts'
import { quantile, table } from './load/text.ts'

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '30' },
    connections: { type: 'string', default: '20' },
    freeze: { type: 'string', default: '5s@10s' },
  },
})
const [perSecond, seconds, connections] = [values.rate, values.seconds, values.connections].map(
  Number,
) as [number, number, number]
const [frozen = 5, at = 10] = values.freeze.split('@').map(Number.parseFloat)

const bin = fileURLToPath(new URL('../bin/chatgen.cjs', import.meta.url))
const pace = `ttft=20ms,freeze=${values.freeze}`
const server = await childServer([bin, 'serve', '--port', '0', '--key', 'k', '--pace', pace])
const plan = { perSecond, seconds, connections, drainSeconds: 30 }
const records = await drive({ url: server.url, key: 'k', ...plan })
await server.stop()

const latencies = (clock: 'service' | 'response') =>
  records.map((record) => (latencyOf(record, 'e2e', clock) ?? Number.NaN) / 1e6)
const [service, response] = [latencies('service'), latencies('response')]
const stuck = service.filter((ms) => ms > (frozen * 1000) / 2).length

console.log(
  `${records.length} requests at ${perSecond}/s over ${connections} connections, a freeze of ${frozen} s at ${at} s;`,
  `load of the machine ${(loadavg()[0] ?? 0).toFixed(2)}\n`,
)
console.log(
  table(
    ['e2e, ms', 'service', 'response', 'response expected'],
    [0.5, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99, 1].map((share) => [
      `p${share * 100}`,
      quantile(service, share).toFixed(0),
      quantile(response, share).toFixed(0),
      expected(share),
    ]),
  ),
)
console.log(
  `\n${stuck} requests were on their way when the server froze: as many as there were connections.`,
)

/** Delay at a share of what was due in the freeze, evenly in time: each waited for its end. */
function expected(share: number): string {
  const due = frozen / seconds
  const above = 1 - share
  return above >= due ? '20' : (frozen * 1000 * (1 - above / due)).toFixed(0)
}
