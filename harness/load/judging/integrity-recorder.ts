import { hash } from 'node:crypto'
import type { Surface } from '../../../contract/catalog/requirement.ts'
import {
  type Finding,
  type Judgement,
  type RequirementId,
  requirements,
} from '../../../contract/index.ts'
import type { Evidence } from '../../../reports/load/model/integrity.ts'
import type { PlannedRequest, RecordBuilder } from '../engine/record-builder.ts'
import type { AnswerJudge } from './answer-judge.ts'

/** Results of one worker's judges; results of several workers add up. */
export type IntegrityCounts = ReturnType<typeof emptyCounts>

/** Id of an answer, for the detection of duplicates across the whole run. */
export interface AnswerId {
  readonly id: string
  readonly surface: Surface
  readonly request: RequestReference
}

export function emptyCounts() {
  const tally: Tally = {}
  return {
    tally,
    streams: 0,
    bodies: 0,
    events: 0,
    crossTalk: { answers: 0, leaks: 0 },
    races: { races: 0, doubled: 0, unreadable: 0 },
  }
}

export class IntegrityRecorder {
  readonly counts = emptyCounts()
  /** Removes secrets from a text of the target. */
  readonly redact: (text: string) => string
  readonly #ids: AnswerId[] = []

  constructor(redact: (text: string) => string) {
    this.redact = redact
  }

  /** Counts the findings of one answer; returns its violations. */
  recordAnswer(
    { findings }: Judgement,
    judge: AnswerJudge,
    record: RecordBuilder,
    { head, operation, requestId, duplicate }: PlannedRequest,
  ): Violations {
    const { counts } = this
    const { index, step, surface } = head
    const request = { index, step, operation, requestId, atMs: record.readAt / 1e6 }
    if (judge.isStream) {
      counts.streams += 1
      counts.events += record.events
    } else counts.bodies += 1
    const { finding, required } = this.#countFindings(findings, request, judge)
    const leak = this.#recordCrossTalk(surface, record.crossTalk.foreignNonce, request)
    const { id } = record.contents
    // A duplicate may be answered with the existing response.
    if (id !== undefined && !duplicate) {
      this.#ids.push({ id: shortened(this.redact(id)), surface, request })
    }
    if (required === undefined) return { finding: leak ?? finding, required: leak }
    return { finding, required: `${required}${judge.unexpectedType()}` }
  }

  /** Counts one requirement by itself. */
  recordRequirement(id: string, evidence: Evidence | null): void {
    const counts = tallyFor(this.counts.tally, id)
    if (evidence === null) counts.held += 1
    else {
      counts.broken += 1
      counts.first ??= evidence
    }
  }

  /** The ids since the last call. */
  drainIds(): AnswerId[] {
    return this.#ids.splice(0)
  }

  #countFindings(
    findings: readonly Finding[],
    request: RequestReference,
    judge: AnswerJudge,
  ): Violations {
    let finding: RequirementId | undefined
    let required: RequirementId | undefined
    for (const { requirement, verdict, why, event, mayBeChance } of findings) {
      const counts = tallyFor(this.counts.tally, requirement)
      if (verdict === 'held') {
        counts.held += 1
        continue
      }
      counts.broken += 1
      counts.first ??= {
        ...request,
        event: event ?? null,
        why: this.redact(judge.isStream ? why : `${why} Received: ${judge.describe()}.`),
      }
      finding ??= requirement
      if (mayBeChance === true) counts.byChance = (counts.byChance ?? 0) + 1
      else if (requirements[requirement].level === 'required') required ??= requirement
    }
    return { finding: required ?? finding, required }
  }

  /** Returns the requirement that is violated. */
  #recordCrossTalk(
    surface: Surface,
    foreignNonce: string | undefined,
    request: RequestReference,
  ): string | undefined {
    const id = crossTalkRequirements[surface]
    this.counts.crossTalk.answers += 1
    if (foreignNonce === undefined) {
      this.recordRequirement(id, null)
      return undefined
    }
    this.counts.crossTalk.leaks += 1
    this.recordRequirement(id, {
      ...request,
      event: null,
      why: `The answer contains ${foreignNonce}, which another request of the run sent.`,
    })
    return id
  }
}

/** Bounds an id: all are kept, and the target decides their length. */
function shortened(id: string): string {
  if (id.length <= maxIdLength) return id
  return `${id.slice(0, 32)}…${hash('sha256', id, 'base64url')}`
}

const maxIdLength = 100

/** The compatible surface has no chats, so the document has no requirement for it. */
const crossTalkRequirements = {
  openai: 'LOAD-CROSS-TALK',
  v2: 'V2-CTX-02',
  v3: 'V3-CTX-02',
} as const

interface RequirementTally {
  broken: number
  held: number
  /** Part of `broken` that a legal server may show now and then. */
  byChance?: number
  first: Evidence | null
}

/** Held and broken findings by requirement. Tallies of workers and shards add up. */
export type Tally = Record<string, RequirementTally>

type RequestReference = Omit<Evidence, 'event' | 'why'>

/** Violations of one answer: the first of any level, a required one before others, and the first required one. */
interface Violations {
  readonly finding: string | undefined
  readonly required: string | undefined
}

export function addTally(tally: Tally, more: Tally): void {
  for (const [row, { broken, held, first, byChance }] of Object.entries(more)) {
    const counts = tallyFor(tally, row)
    counts.broken += broken
    counts.held += held
    if (byChance !== undefined) counts.byChance = (counts.byChance ?? 0) + byChance
    if (first !== null && (counts.first === null || first.atMs < counts.first.atMs)) {
      counts.first = first
    }
  }
}

export function tallyFor(tally: Tally, id: string): RequirementTally {
  const existing = tally[id]
  if (existing !== undefined) return existing
  const created: RequirementTally = { broken: 0, held: 0, first: null }
  tally[id] = created
  return created
}
