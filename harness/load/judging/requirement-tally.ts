import { type Finding, type RequirementId, requirements } from '../../../contract/index.ts'

/** The first violation of a requirement. */
export interface FirstViolation {
  readonly index: number
  readonly step: number
  readonly atNs: number
  readonly operation: string
  readonly event: number | null
  readonly why: string
  readonly requestId: string
}

export interface RequirementTally {
  broken: number
  held: number
  first: FirstViolation | null
}

/** Held and broken findings by requirement. Tallies of workers and shards add up. */
export type Tally = Record<string, RequirementTally>

export type RequestReference = Omit<FirstViolation, 'event' | 'why'>

export interface FindingContext {
  readonly request: RequestReference
  /** Describes the answer, for the first violation of each requirement. */
  readonly describeAnswer: (() => string) | undefined
  /** Removes secrets from a text of the target. */
  readonly redact: (text: string) => string
}

/** Violations of one answer: the first of any level, a required one before others, and the first required one. */
export interface Violations {
  readonly finding: string | undefined
  readonly required: string | undefined
}

/** Counts what was found in one answer. */
export function countFindings(
  tally: Tally,
  findings: readonly Finding[],
  { request, describeAnswer, redact }: FindingContext,
): Violations {
  let finding: RequirementId | undefined
  let required: RequirementId | undefined
  for (const { row, verdict, why, event } of findings) {
    const counts = tallyFor(tally, row)
    if (verdict === 'held') {
      counts.held += 1
      continue
    }
    counts.broken += 1
    counts.first ??= {
      ...request,
      event: event ?? null,
      why: redact(describeAnswer === undefined ? why : `${why} What came: ${describeAnswer()}.`),
    }
    finding ??= row
    if (requirements[row].level === 'required') required ??= row
  }
  return { finding: required ?? finding, required }
}

/** Adds `more` to `tally`. */
export function addTally(tally: Tally, more: Tally): void {
  for (const [row, { broken, held, first }] of Object.entries(more)) {
    const counts = tallyFor(tally, row)
    counts.broken += broken
    counts.held += held
    if (first !== null && (counts.first === null || first.atNs < counts.first.atNs)) {
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
