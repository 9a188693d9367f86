import { expect, test } from 'vitest'
import type { Verdict } from '../../contract/report/conformance.ts'
import { resultOf } from '../conformance/test-support/reports.ts'
import { conclude } from './conclude.ts'

class Skipped extends Error {}

const context = {
  skip: () => {
    throw new Skipped()
  },
}

test.each<[Verdict, 'passes' | 'fails' | 'is skipped']>([
  ['pass', 'passes'],
  ['fail', 'fails'],
  ['error', 'fails'],
  ['inconclusive', 'fails'],
  ['unproven', 'fails'],
  ['unclaimed', 'fails'],
  ['not-applicable', 'is skipped'],
])('a required requirement with the verdict %s %s', (verdict, end) => {
  const run = () => conclude(resultOf('OAI-CHAT-01', { verdict }), context, {})
  if (end === 'passes') run()
  else if (end === 'is skipped') expect(run).toThrow(Skipped)
  else expect(run).toThrow(verdict)
})
