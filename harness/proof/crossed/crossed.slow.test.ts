import { describe, expect, test } from 'vitest'
import { dialects, faults } from '../../../reference-server/deviations/index.ts'
import { buildMatrix, objections } from '../kill-matrix.ts'
import type { TargetResult } from '../verdicts.ts'
import { clashes, clashReason, crossingName, crossingNamed, crossings } from './crossings.ts'

describe('crossings', () => {
  const _names = (seed: number) => crossings(3, seed).map(crossingName)

  test('clash only with what there is', () => {
    const names = new Set(dialects.map(({ name }) => name))
    expect(clashes.flatMap((clash) => clash.dialects).filter((name) => !names.has(name))).toEqual(
      [],
    )
    const faultNames = faults.map(({ name }) => name)
    const isKnown = (pattern: string) =>
      faultNames.some((name) =>
        pattern.endsWith('-') ? name.startsWith(pattern) : name === pattern,
      )
    expect(clashes.flatMap((clash) => clash.faults).filter((name) => !isKnown(name))).toEqual([])
  })

  test('leave out dialects in which a fault is none', () => {
    const clashing = crossingNamed('openai-stream-blocks-run-together + comment-heartbeats')
    const other = crossingNamed('openai-stream-blocks-run-together + line-ends-crlf')
    const reasonOf = (one = clashing) => one && clashReason(one.fault, one.dialect)
    expect(reasonOf()).toBe('the empty line before a block ends the block before it')
    expect(other && reasonOf(other)).toBeUndefined()
    expect(other).toBeDefined()
  })
})

describe('a fault in a dialect', () => {
  const fault = faults.find(({ name }) => name === 'stream-completed-twice')
  const crossed = { fault: 'stream-completed-twice', dialect: 'line-ends-crlf', redAlone: [] }
  const result = (changes: Partial<TargetResult>): TargetResult => ({
    kind: 'crossed',
    name: 'stream-completed-twice + line-ends-crlf',
    outcome: 'violated',
    requirements: [],
    internalErrors: [],
    applied: true,
    durationMs: 1,
    crossed,
    ...changes,
  })
  const row = (
    id: TargetResult['requirements'][number]['id'],
    verdict: 'pass' | 'fail' | 'inconclusive',
  ) => ({
    id,
    level: 'required' as const,
    verdict,
    message: verdict === 'pass' ? null : 'the answer lacks a member',
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
  ])('%s', (_, requirements, expected) => {
    expect(objectionsTo({ requirements })).toEqual(expected)
  })

  test('may pass where the server answers as the dialect alone', () => {
    expect(objectionsTo({ requirements: [row('V3-SSE-08', 'pass')], applied: false })).toEqual([])
  })

  test('may be accused of what the dialect alone is accused of', () => {
    const requirements = [row('V3-SSE-08', 'fail'), row('V3-SSE-29', 'fail')]
    expect(
      objectionsTo({ requirements, crossed: { ...crossed, redAlone: ['V3-SSE-29'] } }),
    ).toEqual([])
  })
})
