/** Legal servers, odd in every way that the document leaves free. */
import type { Dialect } from '../types.ts'
import { speech } from './generations/answers.ts'
import { chunks } from './generations/chunks.ts'
import { events } from './generations/events.ts'
import { repeats } from './generations/repeats.ts'
import { responses } from './generations/responses.ts'
import { histories } from './records/history.ts'
import { identifiers } from './records/identifiers.ts'
import { listed } from './records/lists.ts'
import { settling } from './records/settling.ts'
import { records } from './records/shapes.ts'
import { echoes } from './requests/echoes.ts'
import { shapes, statuses } from './requests/errors.ts'
import { strictness } from './requests/strictness.ts'
import { framing, lineEnds } from './wire/framing.ts'
import { transports } from './wire/http.ts'
import { paces } from './wire/pace.ts'
import { segments } from './wire/segments.ts'

/** In the order in which several are applied: what works on the work of others comes later. */
export const dialects: readonly Dialect[] = [
  ...strictness,
  ...speech,
  ...settling,
  ...identifiers,
  ...histories,
  ...responses,
  ...events,
  ...chunks,
  ...statuses,
  ...repeats,
  ...records,
  ...listed,
  ...shapes,
  ...echoes,
  ...transports,
  ...framing,
  ...lineEnds,
  ...segments,
  ...paces,
]
