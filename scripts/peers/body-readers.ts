/** Load generators that read an answer as a whole. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { bodyOf, numberAt, type Peer, path, stdoutName, sumAt, write } from './peer.ts'

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
  report: ({ folder }) => {
    const args = ['report', '-type=json', join(folder, 'vegeta.bin')]
    return JSON.parse(execFileSync('vegeta', args, { encoding: 'utf8' }))
  },
  e2e: { at: 'latencies', names: ['50th', '99th'], unit: 1e-6, of: 'ended' },
  failures: (report) => sumAt(report, 'status_codes', '200'),
  note: 'reads an answer as a whole',
}

const oha: Peer = {
  name: 'oha',
  program: 'oha',
  version: ['--version'],
  args: (order) => {
    const { url, key, rate, seconds, connections, folder } = order
    return [
      ...['-q', String(rate), '-z', `${seconds}s`, '-w', '-c', String(connections), '--no-tui'],
      ...['-m', 'POST', '-H', `authorization: Bearer ${key}`, '-T', 'application/json'],
      ...['-d', bodyOf(order), '--output-format', 'json', '-o', join(folder, 'oha.json')],
      `${url}${path}`,
    ]
  },
  report: 'oha.json',
  ttft: { at: 'firstBytePercentiles', unit: 1000, of: 'firstEvent' },
  e2e: { at: 'latencyPercentiles', unit: 1000, of: 'ended' },
  failures: (report) =>
    sumAt(report, 'statusCodeDistribution', '200') + sumAt(report, 'errorDistribution'),
  note: 'reads an answer as a whole; its first token is the first byte, compared with the first event',
}

const autocannon: Peer = {
  name: 'autocannon',
  program: 'autocannon',
  version: ['--version'],
  args: (order) => {
    const { url, key, rate, seconds, connections } = order
    return [
      ...['--overallRate', String(rate), '--duration', String(seconds)],
      ...['--connections', String(connections), '--method', 'POST', '--body', bodyOf(order)],
      ...['--headers', `authorization=Bearer ${key}`],
      ...['--headers', 'content-type=application/json', '--timeout', '60'],
      ...['--ignoreCoordinatedOmission', '--json', `${url}${path}`],
    ]
  },
  report: stdoutName,
  e2e: { at: 'latency', of: 'ended' },
  failures: (report) => numberAt(report, 'errors') + numberAt(report, 'non2xx'),
  note: 'reads an answer as a whole, in whole milliseconds',
}

export const bodyReaders: readonly Peer[] = [vegeta, oha, autocannon]
