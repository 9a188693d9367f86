import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quantileOf } from '../../../contract/averages.ts'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { distributionOf, loadReportOf } from '../../test-support/measurements.ts'
import { withDoubt } from '../../text/digest.ts'
import { binsOf, cumulative, valueAt } from '../measures.ts'
import { loadToCsv, loadToPrometheus } from './prometheus.ts'

const text = loadToPrometheus(loadReportOf())

test('loadToPrometheus writes all families', () => {
  const lines = text.split('\n').filter((line) => !line.includes('_bucket'))
  const last = lines.filter(
    (line, at) => line.startsWith('# TYPE') || /^(# HELP|$)/.test(lines[at + 1] ?? ''),
  )
  expect(last.join('\n')).toMatchInlineSnapshot(`
    "# TYPE chatgen_load_info gauge
    chatgen_load_info{version="0.1.0",interface="2026-01",plan="0123456789ab",seed="a-seed",target="http://127.0.0.1:4010"} 1
    # TYPE chatgen_load_outcome gauge
    chatgen_load_outcome{outcome="violated"} 1
    # TYPE chatgen_load_edited gauge
    chatgen_load_edited 0
    # TYPE gen_ai_client_operation_duration_seconds histogram
    gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="chatgen",server_address="127.0.0.1",server_port="4010",transaction="openai-stream",surface="openai"} 300
    # TYPE gen_ai_client_operation_time_per_output_chunk_seconds histogram
    gen_ai_client_operation_time_per_output_chunk_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="chatgen",server_address="127.0.0.1",server_port="4010",transaction="openai-stream",surface="openai"} 3000
    # TYPE gen_ai_server_time_to_first_token_seconds histogram
    gen_ai_server_time_to_first_token_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="chatgen",server_address="127.0.0.1",server_port="4010",transaction="openai-stream",surface="openai"} 300
    # TYPE gen_ai_server_time_per_output_token_seconds histogram
    gen_ai_server_time_per_output_token_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="chatgen",server_address="127.0.0.1",server_port="4010",transaction="openai-stream",surface="openai"} 300
    # TYPE chatgen_load_response_seconds histogram
    chatgen_load_response_seconds_count{metric="e2e"} 300
    # TYPE chatgen_load_latency_seconds gauge
    chatgen_load_latency_seconds{metric="e2e",clock="service",quantile="0.99"} 0.646666667
    # TYPE chatgen_load_latency_low_seconds gauge
    chatgen_load_latency_low_seconds{metric="e2e",clock="service",quantile="0.99"} 0.641666667
    # TYPE chatgen_load_latency_high_seconds gauge
    chatgen_load_latency_high_seconds{metric="e2e",clock="service",quantile="0.99"} 0.649166667
    # TYPE chatgen_load_requests_per_second gauge
    chatgen_load_requests_per_second{state="failed"} 1.67
    # TYPE chatgen_load_requests_total counter
    chatgen_load_requests_total{state="failed"} 5
    # TYPE chatgen_load_open_requests gauge
    chatgen_load_open_requests 3
    # TYPE chatgen_load_goodput_ratio gauge
    chatgen_load_goodput_ratio 0.95709571
    # TYPE chatgen_load_goodput_requests_per_second gauge
    chatgen_load_goodput_requests_per_second 96.7
    # TYPE chatgen_load_errors_total counter
    chatgen_load_errors_total{error_type="truncated"} 1
    # TYPE chatgen_load_stalled_ratio gauge
    chatgen_load_stalled_ratio 0.012
    # TYPE chatgen_load_judged_total counter
    chatgen_load_judged_total{what="events"} 6060
    # TYPE chatgen_load_broken_answers_total counter
    chatgen_load_broken_answers_total{requirement="V3-SSE-17",level="required"} 4
    # TYPE chatgen_load_slo_met gauge
    chatgen_load_slo_met{slo="goodput > 99%"} 0
    # TYPE chatgen_load_generator_verdict gauge
    chatgen_load_generator_verdict{verdict="invalid"} 0
    # TYPE chatgen_load_timestamp_error_seconds gauge
    chatgen_load_timestamp_error_seconds 0.0031
    # TYPE chatgen_load_audits_failed gauge
    chatgen_load_audits_failed 1
    "
  `)
})

describe('Prometheus format', () => {
  test('has HELP and TYPE once before the samples of each family', () => {
    const order = text.split('\n').filter(Boolean).map(familyOf)
    const families = [...new Set(order)]
    expect(order).toEqual(order.toSorted((a, b) => families.indexOf(a) - families.indexOf(b)))
    for (const family of families) {
      const own = text.split('\n').filter((line) => line !== '' && familyOf(line) === family)
      expect(own[0]).toMatch(/^# HELP /)
      expect(own[1]).toMatch(/^# TYPE \S+ (gauge|counter|histogram)$/)
      expect(own.slice(2).every((line) => sample.test(line))).toBe(true)
      expect(own.length).toBeGreaterThan(2)
    }
  })

  test('has unique samples and ends with a line feed', () => {
    const names = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const keys = names.map((line) => line.slice(0, line.lastIndexOf(' ')))
    expect(new Set(keys).size).toBe(keys.length)
    expect(text.endsWith('\n')).toBe(true)
    expect(text).not.toContain('\n\n')
  })

  test('has cumulative histogram buckets up to the count', () => {
    const buckets = [
      ...text.matchAll(/^gen_ai_server_time_to_first_token_seconds_bucket.*le="(.*)"\} (\d+)$/gm),
    ]
    const counts = buckets.map(([, , count]) => Number(count))
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    // Written by hand: 300 between 80 and 130 ms, none below 80, all below 250.
    expect(Object.fromEntries(buckets.map(([, le, count]) => [le, Number(count)]))).toMatchObject({
      '0.08': 1,
      '0.25': 300,
      '+Inf': 300,
    })
  })
})

const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const sample = new RegExp(`^[a-z_:][a-z0-9_:]*(\\{${label}(,${label})*\\})? -?[0-9.e+-]+$`, 'u')

function familyOf(line: string): string {
  const name = /^(?:# (?:HELP|TYPE) )?([a-z0-9_:]+)/.exec(line)?.[1] ?? ''
  return name.replace(/_(bucket|sum|count)$/, '')
}

test('loadToCsv writes a line per second, with empty cells for no values', () => {
  expect(loadToCsv(loadReportOf())).toMatchInlineSnapshot(`
    "second,planned,dispatched,completed,shed,failed,in_flight,events,bytes,output_tokens,ttft_p50_ms,ttft_p90_ms,ttft_p99_ms,e2e_p50_ms,e2e_p90_ms,e2e_p99_ms,icl_p50_ms,icl_p90_ms,icl_p99_ms
    0,98,98,78,0,0,52,1960,392000,1764,98,120,131,500,620,1400,20,24,25
    1,104,104,84,2,5,60,2080,416000,1872,101,124,940,500,620,1400,20,24,25
    2,104,104,84,0,0,55,2080,416000,1872,99,122,133,500,620,1400,20,24,25
    3,0,0,50,0,0,0,0,0,0,,,,,,,,,
    "
  `)
})

test('loadToCsv writes only a header for an empty run', () => {
  expect(loadToCsv(loadReportOf({ series: [] })).split('\n')).toHaveLength(2)
})

test('loadToCsv marks each line of an edited report', () => {
  const lines = loadToCsv(withDoubt(loadReportOf(), 'edited report')).trimEnd().split('\n')
  expect(lines[0]).toMatch(/,edited$/)
  for (const line of lines.slice(1)) expect(line).toMatch(/,edited after the run$/)
  expect(new Set(lines.map((line) => line.split(',').length)).size).toBe(1)
})

/** Whole microseconds up to a minute, as milliseconds. */
const latencies = fc.array(
  fc.integer({ min: 0, max: 60_000_000 }).map((us) => us / 1000),
  { minLength: 1, maxLength: 200 },
)
/** Maximum ratio of the bounds of a bin of three digits. */
const width = 1.001

test('valueAt is the exact quantile to three digits', () => {
  forAll(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
    const exact = quantileOf(values, q) ?? 0
    const found = valueAt(binsOf(distributionOf(values)), values.length, q) ?? -1
    expect(found).toBeGreaterThanOrEqual(exact)
    expect(found).toBeLessThanOrEqual(exact * width + 0.001)
  })
})

test('cumulative counts all values below a bound, and none clearly above', () => {
  forAll(latencies, fc.double({ min: 0, max: 60_000, noNaN: true }), (values, bound) => {
    const [count = 0] = cumulative(binsOf(distributionOf(values)), [bound])
    expect(count).toBeGreaterThanOrEqual(values.filter((value) => value <= bound).length)
    const above = bound * width + 0.001
    expect(count).toBeLessThanOrEqual(values.filter((value) => value <= above).length)
  })
})

test('a metric without a histogram has no bins and no quantile', () => {
  const bins = binsOf({ ...distributionOf([1]), histogram: null })
  expect(bins).toEqual([])
  expect(valueAt(bins, 0, 0.5)).toBeNull()
})
