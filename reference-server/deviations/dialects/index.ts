/** Legal servers, odd in every way that the document leaves free. */
import type { Dialect } from '../types.ts'
import { chunks } from './chunks.ts'
import { shapes, statuses } from './errors.ts'
import { events } from './events.ts'
import { framing, lineEnds } from './framing.ts'
import { histories } from './history.ts'
import { identifiers } from './identifiers.ts'
import { listed } from './lists.ts'
import { paces } from './pace.ts'
import { records } from './records.ts'
import { repeats } from './repeats.ts'
import { responses } from './responses.ts'
import { segments } from './segments.ts'
import { settling } from './settling.ts'
import { speech } from './speech.ts'
import { strictness } from './strictness.ts'
import { transports } from './transport.ts'

/** In the order in which several are applied: what works on the work of others comes later. */
export const allDialects: readonly Dialect[] = [
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
  ...transports,
  ...framing,
  ...lineEnds,
  ...segments,
  ...paces,
]
