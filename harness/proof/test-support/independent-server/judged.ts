import { expect } from 'vitest'
import type { ConformanceReport, RequirementRow } from '../../../../contract/report/conformance.ts'
import { check, lineOf, rowsWith } from '../../../conformance/test-support/check.ts'
import type { Hooks } from './hooks.ts'
import { besideTheTables, handMadeProfile, unbuilt } from './profile.ts'
import { startHandMadeServer } from './server.ts'

/** A whole run of one surface against a hand-made server of its own. */
export async function judged(
  surfaces: 'openai' | 'v3',
  hooks: Partial<Hooks> = {},
): Promise<ConformanceReport> {
  const server = await startHandMadeServer(hooks)
  try {
    return await check(handMadeProfile(server), {
      surfaces,
      skip: [...unbuilt, ...besideTheTables],
    })
  } finally {
    await server.close()
  }
}

/** Requirements of timing: on a busy machine, a stream may come too fast or too late to tell. */
export const aboutTime = ['V3-SSE-30', 'OAI-STREAM-11']

/** The run that others are held against: all that can be decided about a legal server is. */
export async function judgedLegal(surfaces: 'openai' | 'v3'): Promise<ConformanceReport> {
  const report = await judged(surfaces)
  const undecided = rowsWith(report, 'fail', 'error', 'inconclusive')
  expect(undecided.filter(({ id }) => !aboutTime.includes(id)).map(lineOf)).toEqual([])
  return report
}

/** A behaviour that the document forbids, and the rows that say so. */
export interface Wrong {
  readonly what: string
  readonly hooks: Partial<Hooks>
  /** Id and verdict, in the order of the catalogue. */
  readonly breaks: readonly string[]
  /** Rows that are not shown any more, although nothing that they stand on is broken. */
  readonly leavesOpen?: readonly string[]
}

/**
 * The rows that are named are broken, and no other. Rows that wait for a broken one are nobody's
 * accusation; those that lost their verdict for another reason must be named as well.
 */
export function expectExactly(
  { breaks, leavesOpen = [] }: Wrong,
  legal: ConformanceReport,
  wrong: ConformanceReport,
): void {
  const before = new Map(legal.requirements.map(({ id, verdict }) => [id, verdict]))
  const changed = wrong.requirements.filter(
    ({ id, verdict, blockedBy }) => verdict !== before.get(id) && blockedBy === null,
  )
  const isRed = ({ verdict }: RequirementRow) => verdict === 'fail' || verdict === 'warn'
  const red = changed.filter(isRed)
  const open = changed.filter((row) => !isRed(row) && !aboutTime.includes(row.id))
  const lines = changed.map(lineOf).join('\n')
  expect(
    red.map(({ id, verdict }) => `${id} ${verdict}`),
    lines,
  ).toEqual(breaks)
  expect(
    open.map(({ id }) => id),
    lines,
  ).toEqual(leavesOpen)
  expect(wrong.faults, 'internal errors').toEqual([])
}
