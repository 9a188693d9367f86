import { createHash } from 'node:crypto'
import type { Judgement } from '../../../contract/index.ts'
import { countFindings, type Evidence, type Occasion, rowOf, type Tally } from './tally.ts'

/** What one thread has judged so far; sums of it add up. */
export interface IntegrityCounts {
  tally: Tally
  streams: number
  bodies: number
  events: number
  crossTalk: { answers: number; leaks: number }
  races: { races: number; doubled: number; unreadable: number }
}

/** An id that an answer carried, for the search for duplicates, which only the whole run can see. */
export interface SeenId {
  readonly id: string
  readonly surface: 'openai' | 'v2' | 'v3'
  readonly occasion: Occasion
}

export function noCounts(): IntegrityCounts {
  return {
    tally: {},
    streams: 0,
    bodies: 0,
    events: 0,
    crossTalk: { answers: 0, leaks: 0 },
    races: { races: 0, doubled: 0, unreadable: 0 },
  }
}

/** Rows that only many requests at once can break. */
export const loadRows = {
  'LOAD-CROSS-TALK': {
    level: 'required',
    title: 'No answer shows what another request of the run asked.',
  },
} as const

export class IntegrityLedger {
  readonly counts = noCounts()
  /** Takes the secrets out of a text of the target. */
  readonly redact: (text: string) => string
  #ids: SeenId[] = []

  constructor(redact: (text: string) => string) {
    this.redact = redact
  }

  /**
   * Gives the required row that the answer broke, if there is one. `came`: what the answer was, for the
   * first of each broken row.
   */
  judgement({ findings }: Judgement, occasion: Occasion, came?: () => string): string | undefined {
    return countFindings(this.counts.tally, findings, {
      occasion,
      came,
      redact: this.redact,
    })
  }

  stream(events: number): void {
    this.counts.streams += 1
    this.counts.events += events
  }

  body(): void {
    this.counts.bodies += 1
  }

  /** One row by itself. */
  row(id: string, evidence: Evidence | null): void {
    const counts = rowOf(this.counts.tally, id)
    if (evidence === null) counts.held += 1
    else {
      counts.broken += 1
      counts.first ??= evidence
    }
  }

  /** `leaked`: a nonce that belongs to another request. Gives the broken row. */
  crossTalk(
    surface: 'openai' | 'v2' | 'v3',
    leaked: string | undefined,
    occasion: Occasion,
  ): string | undefined {
    const row = crossTalkRows[surface]
    this.counts.crossTalk.answers += 1
    if (leaked === undefined) {
      this.row(row, null)
      return undefined
    }
    this.counts.crossTalk.leaks += 1
    this.row(row, {
      ...occasion,
      event: null,
      why: `The answer shows ${leaked}, which another request of the run told.`,
    })
    return row
  }

  id(seen: SeenId): void {
    this.#ids.push({ ...seen, id: bounded(this.redact(seen.id)) })
  }

  /** The ids since the last call. */
  takeIds(): SeenId[] {
    const ids = this.#ids
    this.#ids = []
    return ids
  }
}

/** All ids of a run are kept, and how long one is, is up to the target. */
function bounded(id: string): string {
  if (id.length <= longestId) return id
  return `${id.slice(0, 32)}…${createHash('sha256').update(id).digest('base64url')}`
}

const longestId = 100

/** The compatible surface has no chats, so the document has no row for it. */
const crossTalkRows = {
  openai: 'LOAD-CROSS-TALK',
  v2: 'V2-CTX-02',
  v3: 'V3-CTX-02',
} as const
