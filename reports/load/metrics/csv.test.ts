import { expect, test } from 'vitest'
import { withDoubt } from '../../text/digest.ts'
import { loadReportOf } from '../test-support/sketch.ts'
import { loadToCsv } from './csv.ts'

test('a line a second, empty where there was nothing', () => {
  expect(loadToCsv(loadReportOf())).toMatchInlineSnapshot(`
    "second,planned,dispatched,completed,shed,failed,in_flight,events,bytes,output_tokens,ttft_p50_ms,ttft_p90_ms,ttft_p99_ms,e2e_p50_ms,e2e_p90_ms,e2e_p99_ms,icl_p50_ms,icl_p90_ms,icl_p99_ms
    0,98,98,78,0,0,52,1960,392000,1764,98,120,131,500,620,1400,20,24,25
    1,104,104,84,2,5,60,2080,416000,1872,101,124,940,500,620,1400,20,24,25
    2,104,104,84,0,0,55,2080,416000,1872,99,122,133,500,620,1400,20,24,25
    3,0,0,50,0,0,0,0,0,0,,,,,,,,,
    "
  `)
})

test('only a header where nothing ran', () => {
  expect(loadToCsv(loadReportOf({ series: [] })).split('\n')).toHaveLength(2)
})

test('a report that was edited after its run says so in every line', () => {
  const lines = loadToCsv(withDoubt(loadReportOf(), 'edited report')).trimEnd().split('\n')
  expect(lines[0]).toMatch(/,edited$/)
  for (const line of lines.slice(1)) expect(line).toMatch(/,edited after the run$/)
  expect(new Set(lines.map((line) => line.split(',').length)).size).toBe(1)
})
