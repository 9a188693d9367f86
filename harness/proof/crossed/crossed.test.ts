import { describe, expect, test } from 'vitest'
import { dialects, faults } from '../../../reference-server/deviations/index.ts'
import { buildMatrix, objections } from '../kill-matrix.ts'
import type { TargetResult } from '../verdicts.ts'
import { clashes } from './clashes.ts'
import { crossingName, crossingNamed, crossings } from './crossings.ts'

describe('crossings', () => {
  const names = (seed: number) => crossings(3, seed).map(crossingName)

  test('are three different ones for each fault, and the same for the same seed', () => {
    const first = names(1)
    const other = new Set(names(2))
    expect(names(1)).toEqual(first)
    expect(new Set(first).size).toBe(3 * faults.length)
    expect(first.filter((name) => other.has(name)).length).toBeLessThan(faults.length)
  })

  test('are found by their names', () => {
    const all = crossings(1, 7)
    expect(all.map((one) => crossingNamed(crossingName(one))?.dialect.name)).toEqual(
      all.map(({ dialect }) => dialect.name),
    )
    expect(crossingNamed('stream-completed-twice + no-such-dialect')).toBeUndefined()
  })

  test('leave dialects of other surfaces alone', () => {
    const chosen = crossings(8, 1).filter(({ fault }) => fault.name.startsWith('openai-'))
    expect(chosen.filter(({ dialect }) => dialect.surface === 'v3')).toEqual([])
  })

  test('clash only with what there is', () => {
    const known = new Set(dialects.map(({ name }) => name))
    expect(clashes.flatMap((clash) => clash.dialects).filter((name) => !known.has(name))).toEqual(
      [],
    )
  })
})

describe('a fault in a dialect', () => {
  const fault = faults.find(({ name }) => name === 'stream-completed-twice')
  const crossed = { fault: 'stream-completed-twice', dialect: 'line-ends-crlf', redAlone: [] }
  const result = (changes: Partial<TargetResult>): TargetResult => ({
    kind: 'crossed',
    name: 'stream-completed-twice + line-ends-crlf',
    outcome: 'violated',
    rows: [],
    internalErrors: [],
    applied: true,
    durationMs: 1,
    crossed,
    ...changes,
  })
  const row = (
    id: TargetResult['rows'][number]['id'],
    verdict: 'pass' | 'fail' | 'inconclusive',
  ) => ({
    id,
    level: 'required' as const,
    verdict,
    message: verdict === 'pass' ? null : 'the reason',
    brokenBy: [],
  })
  const objectionsTo = (changes: Partial<TargetResult>) => {
    const results = [result(changes)]
    return objections(buildMatrix(fault ? [fault] : [], results), results)
  }

  test.each([
    ['is killed by its requirement', [row('V3-SSE-08', 'fail')], []],
    ['may be undecided', [row('V3-SSE-08', 'inconclusive')], []],
    [
      'may not pass',
      [row('V3-SSE-08', 'pass')],
      ['stream-completed-twice + line-ends-crlf: passes unseen'],
    ],
    [
      'turns no other requirement red',
      [row('V3-SSE-08', 'fail'), row('V3-GEN-01', 'fail')],
      ['stream-completed-twice + line-ends-crlf: turns V3-GEN-01 red without naming it'],
    ],
  ])('%s', (_, rows, expected) => {
    expect(objectionsTo({ rows })).toEqual(expected)
  })

  test('may pass where the server answers as the dialect alone', () => {
    expect(objectionsTo({ rows: [row('V3-SSE-08', 'pass')], applied: false })).toEqual([])
  })

  test('may be accused of what the dialect alone is accused of', () => {
    const rows = [row('V3-SSE-08', 'fail'), row('V3-SSE-29', 'fail')]
    expect(objectionsTo({ rows, crossed: { ...crossed, redAlone: ['V3-SSE-29'] } })).toEqual([])
  })
})
