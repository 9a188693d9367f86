import type { RequirementId } from '../../../contract/index.ts'
import type { Patch } from '../../parts.ts'
import type { Fault } from '../types.ts'

type Breaks = RequirementId | readonly [RequirementId, RequirementId]

/** A fault in the order in which it is told: what it is called, what it breaks, what is wrong, how. */
export function fault(name: string, breaks: Breaks, summary: string, refit: Patch): Fault {
  return { name, summary, breaks: typeof breaks === 'string' ? [breaks] : breaks, patch: refit }
}
