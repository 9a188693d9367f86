import {
  coversAtDepth,
  describe,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'

import { claimTurnLaws } from './turn-laws.ts'

/** Sections 2.6, 4.3 and 4.4: the laws of turns in a chat hold under all conditions. */
describe('v3: laws of turns', () => {
  const requirements = [
    ...([
      'V3-GEN-01',
      'V3-GEN-03',
      'V3-GEN-05',
      'V3-GEN-06',
      'V3-GEN-07',
      'V3-GEN-09',
      'V3-GEN-10',
    ] as const),
    ...([
      'V3-GEN-11',
      'V3-GEN-14',
      'V3-GEN-15',
      'V3-GEN-16',
      'V3-MODEL-01',
      'V3-MODEL-02',
    ] as const),
    ...([
      'V3-ASST-01',
      'RAG-02',
      'RAG-03',
      'RAG-07',
      'RAG-08',
      'V3-TOOLS-02',
      'V3-TOOLS-03',
    ] as const),
    ...([
      'V3-HIST-05',
      'V3-HIST-06',
      'V3-HIST-07',
      'V3-HIST-10',
      'V3-HIST-11',
      'V3-HIST-12',
    ] as const),
    ...(['V3-HIST-16', 'V3-IDEM-01', 'V3-IDEM-02', 'V3-IDEM-03', 'V3-IDEM-08'] as const),
    ...(['V3-CTX-01', 'V3-CTX-02', 'V3-SSE-30'] as const),
  ]
  const cost = (rows: number) => ({ requests: 3 * rows + 66, generations: rows + 13, chats: 2 })

  test(
    'a turn MUST keep its requirements under every condition',
    coversAtDepth(requirements, cost),
    async ({ v3, chats, claim, profile, session, prompts, coverage }) =>
      claimTurnLaws({ v3, chats, claim, profile, session, prompts, coverage }, {}),
  )

  test(
    'a turn of another caller MUST keep its requirements',
    coversAtDepth(requirements, (_, depth) =>
      depth === 'full' ? cost(rowsOfSecond) : { requests: 1 },
    ),
    async ({ v3OfSecond: v3, chats, claim, profile, session, prompts, coverage }) => {
      if (v3 === undefined || coverage.depth !== 'full') return
      const caller = { authorization: `Bearer ${profile.otherKey}` }
      // A second key is a guess until it was accepted once.
      if (!succeeded(await chats.list({ limit: 1 }, { role: 'probe', ...caller }))) return
      const rows = { depth: 'quick', rows: rowsOfSecond, add() {} } as const
      await claimTurnLaws({ v3, chats, claim, profile, session, prompts, coverage: rows }, caller)
    },
  )
})

/** Each value of a condition once. */
const rowsOfSecond = 14
