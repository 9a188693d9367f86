import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, test } from 'vitest'
import { type LoadReport, loadOutcomes } from '../../../reports/load/model/report.ts'
import { loadReportOf } from '../../../reports/test-support/measurements.ts'
import { portOf } from '../../client/test-support/listen-on-loopback.ts'
import { RunRecorder } from '../../load/metrics/run-metrics.ts'
import type { LoadProgress } from '../../load/options.ts'
import { failure } from '../../load/record.ts'
import { recordOf, shifted } from '../../load/test-support/records.ts'
import { exitCodeOfMeasurement } from '../exit-codes.ts'
import { emptyFolder } from '../test-support/chatgen.ts'
import { liveLines, progressLine } from './output/live.ts'
import { calibrationFile, storedCalibration, uploadReport, uploadUrl } from './results.ts'

it('calibration file is in the cache of the user', () => {
  expect(calibrationFile({ env: { XDG_CACHE_HOME: '/c' } })).toBe('/c/chatgen/calibration.json')
  expect(calibrationFile({ env: {} })).toMatch(/\.cache\/chatgen\/calibration\.json$/)
  expect(calibrationFile({ env: { XDG_CACHE_HOME: '' } })).toMatch(/\.cache\/chatgen/)
})

it.each(['', 'no JSON', '{"kind":"calibration","schemaVersion":2}'])(
  'calibration is undefined if the file contains %j',
  (text) => {
    const file = join(emptyFolder(), 'calibration.json')
    writeFileSync(file, text)
    expect(storedCalibration(file)).toBeUndefined()
    expect(storedCalibration(`${file}.not`)).toBeUndefined()
  },
)

const codes: Readonly<Record<LoadReport['outcome'], number>> = {
  met: 0,
  missed: 1,
  violated: 1,
  undecided: 5,
  invalid: 6,
}
test.each(loadOutcomes)('exit code of a load is that of the outcome %s', (outcome) => {
  const report = loadReportOf({ outcome, interrupted: false, faults: [] })
  expect(exitCodeOfMeasurement(report)).toBe(codes[outcome])
  expect(exitCodeOfMeasurement({ ...report, interrupted: true })).toBe(130)
  expect(exitCodeOfMeasurement({ ...report, faults: ['x'] })).toBe(codes[outcome] === 1 ? 1 : 4)
})

/** Forty streams in the first four seconds, one of them cut off with a hostile message. */
function running(): LoadProgress {
  const book = new RunRecorder({ durationNs: 30e9 }, [])
  const records = Array.from({ length: 40 }, (_, index) => shifted(recordOf(), index, index * 1e8))
  const outcome = failure('truncated', '\u001b[2Jgone')
  const cut = shifted(recordOf({ record: { outcome } }), 40, 35e8)
  const added = { records: [...records, cut], ids: [], dropped: [], inFlight: 7 }
  book.add(0, { type: 'records', ...added })
  return {
    phase: 'running',
    elapsedMs: 5200,
    durationMs: 30_000,
    stats: book,
    report: () => expect.unreachable(),
  }
}

test('live lines show rates, quantiles, requests in flight, failures and time left', () => {
  expect(liveLines(running(), 120).join('\n')).toMatchInlineSnapshot(`
    "running  5 s of 30 s, 25 s left  41 requests, 7 in flight
      sent 9.23/s  completed 8.00/s  failed 0.20/s  shed 0/s  tokens 90.2/s
      ttft p50 101 p90 101 p99 101   e2e p50 260 p90 260 p99 260   icl p50 20.1 p90 100 p99 100  ms
      truncated \\x1b[2Jgone ×1"
  `)
})

test('live lines fit the width of the terminal, and show only the phase before the start', () => {
  for (const line of liveLines(running(), 40)) expect(line.length).toBeLessThanOrEqual(40)
  expect(liveLines({ ...running(), phase: 'preparing', elapsedMs: 0 }, 80)).toEqual(['preparing'])
})

test('a progress line has the figures in one line', () => {
  expect(progressLine(running())).toMatchInlineSnapshot(
    `"running 5 s of 30 s: 41 requests, 7 in flight, 1 failed, ttft p50 101 p90 101 p99 101 ms, truncated \\x1b[2Jgone ×1"`,
  )
})

test('a report is uploaded by PUT, and a refusal does not show the signature', async () => {
  const puts: string[] = []
  const server = createServer(async (request, response) => {
    puts.push(`${request.method} ${request.url} ${await text(request)}`)
    response.writeHead(request.url?.startsWith('/ok') ? 200 : 403).end()
  })
  const port = await portOf(server)
  await uploadReport(new URL(`http://127.0.0.1:${port}/ok?signature=s3cret`), '{"a":1}')
  expect(puts).toEqual(['PUT /ok?signature=s3cret {"a":1}'])
  const refused = uploadReport(new URL(`http://127.0.0.1:${port}/no?signature=s3cret`), '{}')
  await expect(refused).rejects.toThrow(
    `the report could not be uploaded to http://127.0.0.1:${port}/no: status 403`,
  )
})

test('a file of upload URLs has one for each shard', () => {
  const file = join(emptyFolder(), 'urls.txt')
  writeFileSync(file, 'http://store/0?a\n\nhttp://store/1?b\n')
  expect(uploadUrl(file, { index: 1, of: 2 }).href).toBe('http://store/1?b')
  expect(uploadUrl('https://store/x', undefined).href).toBe('https://store/x')
  expect(() => uploadUrl(file, { index: 2, of: 3 })).toThrow('there is no URL for shard 2')
  expect(() => uploadUrl('ftp://store/x', undefined)).toThrow('there is no URL')
})
