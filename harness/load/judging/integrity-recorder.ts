import { createHash } from 'node:crypto'
import type { Surface } from '../../../contract/catalogue/requirement.ts'
import type { Judgement } from '../../../contract/index.ts'
import {
  countFindings,
  type FirstViolation,
  type RequestReference,
  type Tally,
  tallyFor,
} from './requirement-tally.ts'

/** Results of one worker's judges; results of several workers add up. */
export interface IntegrityCounts {
  tally: Tally
  streams: number
  bodies: number
  events: number
  crossTalk: { answers: number; leaks: number }
  races: { races: number; doubled: number; unreadable: number }
}

/** An id that an answer carried, for the search for duplicates, which only the whole run can see. */
export interface AnswerId {
  readonly id: string
  readonly surface: Surface
  readonly request: RequestReference
}

export function emptyCounts(): IntegrityCounts {
  return {
    tally: {},
    streams: 0,
    bodies: 0,
    events: 0,
    crossTalk: { answers: 0, leaks: 0 },
    races: { races: 0, doubled: 0, unreadable: 0 },
  }
}

/** Requirements that only concurrent requests can violate. */
export const loadRequirements = {
  'LOAD-CROSS-TALK': {
    level: 'required',
    title: 'No answer shows what another request of the run asked.',
  },
} as const

export class IntegrityRecorder {
  readonly counts = emptyCounts()
  /** Removes secrets from a text of the target. */
  readonly redact: (text: string) => string
  #ids: AnswerId[] = []

  constructor(redact: (text: string) => string) {
    this.redact = redact
  }

  /**
   * Gives the required row that the answer broke, if there is one. `came`: what the answer was, for the
   * first of each broken row.
   */
  recordFindings(
    { findings }: Judgement,
    occasion: RequestReference,
    came?: () => string,
  ): string | undefined {
    return countFindings(this.counts.tally, findings, {
      request: occasion,
      describeAnswer: came,
      redact: this.redact,
    })
  }

  recordStream(events: number): void {
    this.counts.streams += 1
    this.counts.events += events
  }

  recordBody(): void {
    this.counts.bodies += 1
  }

  /** One row by itself. */
  recordRequirement(id: string, evidence: FirstViolation | null): void {
    const counts = tallyFor(this.counts.tally, id)
    if (evidence === null) counts.held += 1
    else {
      counts.broken += 1
      counts.first ??= evidence
    }
  }

  /** `leaked`: a nonce that belongs to another request. Gives the broken row. */
  recordCrossTalk(
    surface: Surface,
    leaked: string | undefined,
    occasion: RequestReference,
  ): string | undefined {
    const row = crossTalkRequirements[surface]
    this.counts.crossTalk.answers += 1
    if (leaked === undefined) {
      this.recordRequirement(row, null)
      return undefined
    }
    this.counts.crossTalk.leaks += 1
    this.recordRequirement(row, {
      ...occasion,
      event: null,
      why: `The answer shows ${leaked}, which another request of the run told.`,
    })
    return row
  }

  recordId(answer: AnswerId): void {
    this.#ids.push({ ...answer, id: shortened(this.redact(answer.id)) })
  }

  /** The ids since the last call. */
  drainIds(): AnswerId[] {
    const ids = this.#ids
    this.#ids = []
    return ids
  }
}

/** All ids of a run are kept, and how long one is, is up to the target. */
function shortened(id: string): string {
  if (id.length <= maxIdLength) return id
  return `${id.slice(0, 32)}…${createHash('sha256').update(id).digest('base64url')}`
}

const maxIdLength = 100

/** The compatible surface has no chats, so the document has no row for it. */
const crossTalkRequirements = {
  openai: 'LOAD-CROSS-TALK',
  v2: 'V2-CTX-02',
  v3: 'V3-CTX-02',
} as const
