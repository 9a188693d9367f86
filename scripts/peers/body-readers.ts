/** Load generators that read an answer as a whole. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import { bodyOf, type Peer, path, percentiles, read, stdoutName, write } from './peer.ts'
import type { Pair } from './truth.ts'

const vegeta: Peer = {
  name: 'vegeta',
  program: 'vegeta',
  version: ['-version'],
  args: (order) => {
    const { url, key, rate, seconds, folder } = order
    const body = write(order, 'body.json', bodyOf(order))
    const targets = write(
      order,
      'targets.txt',
      `POST ${url}${path}\nAuthorization: Bearer ${key}\nContent-Type: application/json\n@${body}\n`,
    )
    return [
      ...['attack', `-rate=${rate}/1s`, `-duration=${seconds}s`, `-targets=${targets}`],
      ...['-timeout=60s', `-output=${join(folder, 'vegeta.bin')}`],
    ]
  },
  figures: ({ folder }) => {
    const { latencies } = vegetaReport(folder)
    const pair: Pair = [latencies['50th'] / 1e6, latencies['99th'] / 1e6]
    return { ttft: null, gap: null, e2e: { pair, of: 'ended' } }
  },
  failures: ({ folder }) => {
    const { requests, success } = vegetaReport(folder)
    return Math.round(requests * (1 - success))
  },
  note: 'reads an answer as a whole',
}

function vegetaReport(folder: string) {
  const args = ['report', '-type=json', join(folder, 'vegeta.bin')]
  const text = execFileSync('vegeta', args, { encoding: 'utf8' })
  const latencies = z.object({ '50th': z.number(), '99th': z.number() })
  return z.object({ latencies, requests: z.number(), success: z.number() }).parse(JSON.parse(text))
}

const oha: Peer = {
  name: 'oha',
  program: 'oha',
  version: ['--version'],
  args: (order) => {
    const { url, key, rate, seconds, folder } = order
    return [
      ...['-q', String(rate), '-z', `${seconds}s`, '-w', '-c', String(rate * 4), '--no-tui'],
      ...['-m', 'POST', '-H', `authorization: Bearer ${key}`, '-T', 'application/json'],
      ...['-d', bodyOf(order), '--output-format', 'json', '-o', join(folder, 'oha.json')],
      `${url}${path}`,
    ]
  },
  figures: (order) => {
    const schema = z.object({ latencyPercentiles: percentiles, firstBytePercentiles: percentiles })
    const found = read(order, 'oha.json', schema)
    const pair = ({ p50, p99 }: z.infer<typeof percentiles>): Pair => [p50 * 1000, p99 * 1000]
    return {
      ttft: { pair: pair(found.firstBytePercentiles), of: 'firstByte' },
      gap: null,
      e2e: { pair: pair(found.latencyPercentiles), of: 'ended' },
    }
  },
  failures: (order) => {
    const counts = z.record(z.string(), z.number())
    const schema = z.object({ statusCodeDistribution: counts, errorDistribution: counts })
    const { statusCodeDistribution, errorDistribution } = read(order, 'oha.json', schema)
    const refused = Object.entries(statusCodeDistribution).filter(([status]) => status !== '200')
    return [...refused.map(([, count]) => count), ...Object.values(errorDistribution)].reduce(
      (sum, count) => sum + count,
      0,
    )
  },
  note: 'reads an answer as a whole; ttft is its first byte, compared with the first event',
}

const autocannon: Peer = {
  name: 'autocannon',
  program: 'autocannon',
  version: ['--version'],
  args: (order) => {
    const { url, key, rate, seconds } = order
    return [
      ...['--overallRate', String(rate), '--duration', String(seconds)],
      ...['--connections', String(rate * 4), '--method', 'POST', '--body', bodyOf(order)],
      ...['--headers', `authorization=Bearer ${key}`],
      ...['--headers', 'content-type=application/json', '--timeout', '60'],
      ...['--ignoreCoordinatedOmission', '--json', `${url}${path}`],
    ]
  },
  figures: (order) => {
    const { latency } = read(order, stdoutName, z.object({ latency: percentiles }))
    return { ttft: null, gap: null, e2e: { pair: [latency.p50, latency.p99], of: 'ended' } }
  },
  failures: (order) => {
    const schema = z.object({ errors: z.number(), non2xx: z.number() })
    const { errors, non2xx } = read(order, stdoutName, schema)
    return errors + non2xx
  },
  note: 'reads an answer as a whole, in whole milliseconds',
}

export const bodyReaders: readonly Peer[] = [vegeta, oha, autocannon]
