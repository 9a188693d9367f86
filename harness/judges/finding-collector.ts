import type {
  Finding,
  Judgement,
  Observation,
  OpenQuestionId,
  RequirementId,
} from '../../contract/index.ts'

/**
 * Findings of one exchange, row by row. A row has at most one finding: the first thing that broke
 * it, or else the first that held.
 */
export class FindingCollector {
  readonly #broken = new Map<RequirementId, Note>()
  readonly #held = new Map<RequirementId, Note>()
  readonly #answers = new Map<OpenQuestionId, string>()

  held(row: RequirementId, why: string, event?: number): void {
    if (!this.#held.has(row)) this.#held.set(row, { why, event })
  }

  broken(row: RequirementId, why: string, event?: number): void {
    if (!this.#broken.has(row)) this.#broken.set(row, { why, event })
  }

  observed(question: OpenQuestionId, answer: string): void {
    if (!this.#answers.has(question)) this.#answers.set(question, answer)
  }

  isBroken(...rows: readonly RequirementId[]): boolean {
    return rows.some((row) => this.#broken.has(row))
  }

  /** Takes a row back: what was noted of it follows from another row that is broken. */
  retract(row: RequirementId): void {
    this.#broken.delete(row)
    this.#held.delete(row)
  }

  judgement(exchanges: readonly string[]): Judgement {
    const findings: Finding[] = []
    for (const [row, note] of this.#broken) findings.push(finding(row, 'broken', note, exchanges))
    for (const [row, note] of this.#held) {
      if (!this.#broken.has(row)) findings.push(finding(row, 'held', note, exchanges))
    }
    const observations = Array.from(
      this.#answers,
      ([question, answer]): Observation => ({ question, answer, exchanges }),
    )
    return { findings, observations }
  }
}

interface Note {
  readonly why: string
  readonly event: number | undefined
}

function finding(
  row: RequirementId,
  verdict: Finding['verdict'],
  { why, event }: Note,
  exchanges: readonly string[],
): Finding {
  const finding = { row, verdict, why, exchanges }
  return event === undefined ? finding : { ...finding, event }
}
