import { expect, test } from 'vitest'
import type { Services } from '../../reference-server/services.ts'
import { buildMatrix } from './kill-matrix.ts'
import { proofPage } from './summary.ts'
import type { TargetResult } from './verdicts.ts'

const faults = (['OAI-N-01', 'OAI-FORMAT-01'] as const).map((id) => ({
  name: `breaks-${id}`,
  summary: 'A sentence.',
  breaks: [id] as const,
  patch: (services: Services) => services,
}))

function resultOf(name: string, ...red: readonly (typeof faults)[number]['breaks'][0][]) {
  const requirements = red.map((id) => {
    const level = 'required' as const
    return { id, level, verdict: 'fail' as const, message: null, brokenBy: ['a-scenario'] }
  })
  const outcome = 'violated' as const
  const of = { outcome, requirements, internalErrors: [], applied: true, durationMs: 1 }
  return { kind: 'fault', name, ...of } satisfies TargetResult
}

test('a fault counts as killed only if exactly its own requirements fail', () => {
  const page = (second: TargetResult) =>
    proofPage(buildMatrix(faults, [resultOf('breaks-OAI-N-01', 'OAI-N-01'), second]))
  const killed = page(resultOf('breaks-OAI-FORMAT-01', 'OAI-FORMAT-01'))
  expect(killed).toContain('2 of 2 faults')
  expect(killed).toContain('| OAI-N | 1 | 1 | 1 |')
  expect(killed).toContain('| OAI-FORMAT | 2 | 1 | 1 |')
  expect(killed.split('\n').length).toBeLessThan(100)
  for (const red of [[], ['OAI-FORMAT-01', 'OAI-N-01']] as const) {
    const other = page(resultOf('breaks-OAI-FORMAT-01', ...red))
    expect(other).toContain('1 of 2 faults')
    expect(other).toContain('| OAI-FORMAT | 2 | 1 | 0 |')
  }
})
