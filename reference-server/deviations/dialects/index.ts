/** Dialects: legal servers that differ wherever the document leaves them free. */
import type { Surface } from '../../../contract/index.ts'
import type { Dialect } from '../table.ts'
import { echoes, shapes, statuses } from './errors.ts'
import { answerDialects } from './generations/answers.ts'
import { chunks } from './generations/chunks.ts'
import { repeats, v2Chains } from './generations/repeats.ts'
import { events, responses } from './generations/responses.ts'
import { identifiers } from './records/identifiers.ts'
import { listDialects } from './records/lists.ts'
import { chatRecords, histories, modelLists, settling } from './records/shapes.ts'
import { strictness } from './strictness.ts'
import { framing, httpDialects, lineEnds, paces, segments } from './wire.ts'

/** Dialects in the order of application: patches of the output of others come later. */
export const dialects: readonly Dialect[] = [
  ...strictness,
  ...answerDialects,
  ...settling,
  ...identifiers,
  ...shownOn('v3', histories),
  ...shownOn('v3', responses),
  ...shownOn('v3', events),
  ...shownOn('openai', chunks),
  ...statuses,
  ...shownOn('v3', repeats),
  ...shownOn('v2', v2Chains),
  ...shownOn('v3', chatRecords),
  ...shownOn('openai', modelLists),
  ...shownOn('v3', listDialects),
  ...shapes,
  ...echoes,
  ...httpDialects,
  ...framing,
  ...lineEnds,
  ...segments,
  ...paces,
]

function shownOn(surface: Surface, list: readonly Dialect[]): readonly Dialect[] {
  return list.map((dialect) => ({ ...dialect, surface }))
}
