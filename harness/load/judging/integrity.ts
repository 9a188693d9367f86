import { isRequirementId, requirements } from '../../../contract/index.ts'
import type { Integrity, LoadFinding } from '../../../reports/load/model/integrity.ts'
import { addCounts } from '../metrics/samples/histogram.ts'
import {
  type AnswerId,
  addTally,
  emptyCounts,
  type IntegrityCounts,
  type Tally,
  tallyFor,
} from './integrity-recorder.ts'

/** Merges the results of all workers. Findings by id, those of level `required` first. */
export function buildIntegrity(threads: readonly IntegrityCounts[], ids: IdCounts): Integrity {
  const sum = emptyCounts()
  for (const counts of threads) {
    addTally(sum.tally, counts.tally)
    addCounts(sum, counts, ['streams', 'bodies', 'events'])
    addCounts(sum.crossTalk, counts.crossTalk, ['answers', 'leaks'])
    addCounts(sum.races, counts.races, ['races', 'doubled', 'unreadable'])
  }
  addTally(sum.tally, ids.tally)
  const rows = Object.entries(sum.tally)
  const findings = rows.flatMap(([id, { broken, held, first, byChance }]): LoadFinding[] => {
    if (broken === 0 || first === null) return []
    const of = broken + held
    const { level, title } = isRequirementId(id) ? requirements[id] : crossTalk
    return [
      {
        id,
        level: broken === byChance ? 'expected' : level,
        title,
        broken,
        of,
        rate: broken / of,
        first,
      },
    ]
  })
  return {
    judgedShare: 1,
    streams: sum.streams,
    bodies: sum.bodies,
    events: sum.events,
    held: rows.flatMap(([id, { broken }]) => (broken === 0 ? [id] : [])).sort(),
    findings: findings.sort(bySeverity),
    crossTalk: sum.crossTalk,
    duplicateIds: { ids: ids.size, duplicates: ids.duplicates },
    idempotencyRaces: sum.races,
  }
}

export type IdCounts = Readonly<Pick<DuplicateIdDetector, 'tally' | 'size' | 'duplicates'>>

/** Ids of the completions and responses of a whole run, to find duplicates. */
export class DuplicateIdDetector {
  readonly tally: Tally = {}
  duplicates = 0
  readonly #ids = new Set<string>()

  get size(): number {
    return this.#ids.size
  }

  add({ id, surface, request }: AnswerId): void {
    const requirement = idRequirements[surface]
    if (requirement === undefined) return
    const key = `${surface} ${id}`
    const counts = tallyFor(this.tally, requirement)
    if (!this.#ids.has(key)) {
      counts.held += 1
      // The set is bounded; a run that long has shown whether ids repeat.
      if (this.#ids.size < maxIds) this.#ids.add(key)
      return
    }
    this.duplicates += 1
    counts.broken += 1
    counts.first ??= { ...request, event: null, why: `The id ${id} was already used.` }
  }
}

const maxIds = 2_000_000

const idRequirements = { openai: 'OAI-CHAT-14', v2: undefined, v3: 'V3-GEN-15' } as const

/** The requirement that only concurrent requests can violate, LOAD-CROSS-TALK, which the catalog lacks. */
const crossTalk = {
  level: 'required',
  title: 'No answer contains text of another request of the run.',
} as const

function bySeverity(a: LoadFinding, b: LoadFinding): number {
  if (a.level !== b.level) return a.level === 'required' ? -1 : 1
  return a.id < b.id ? -1 : 1
}
