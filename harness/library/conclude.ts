import type { TestContext } from 'vitest'
import { type RequirementResult, undecidedVerdicts } from '../../contract/report/conformance.ts'

/** Ends the test of a requirement as its verdict demands. */
export function conclude(
  { verdict, level, message, section }: RequirementResult,
  context: Pick<TestContext, 'skip'>,
  {
    undecided = 'fail',
    strict = false,
  }: { readonly undecided?: 'fail' | 'skip'; readonly strict?: boolean },
): void {
  const text = `${message ?? verdict} (section ${section})`
  if (verdict === 'pass' || verdict === 'observed') return
  if (verdict === 'fail' || verdict === 'error') throw new Error(`${verdict}: ${text}`)
  if (verdict === 'warn' && strict) throw new Error(`warning: ${text}`)
  if (undecidedVerdicts.includes(verdict) && level === 'required' && undecided === 'fail') {
    throw new Error(`undecided, ${verdict}: ${text}`)
  }
  if (verdict !== 'warn') context.skip(`${verdict}: ${text}`)
}
