import type { Finding, Judgement, OpenQuestionId, RequirementId } from '../../contract/index.ts'

/** Findings of one exchange, one a requirement: the first violation or, without one, the first success. */
export class FindingCollector {
  readonly #broken = new Map<RequirementId, Note>()
  readonly #held = new Map<RequirementId, Note>()
  readonly #answers = new Map<OpenQuestionId, string>()

  held(requirement: RequirementId, why: string, event?: number): void {
    if (!this.#held.has(requirement)) this.#held.set(requirement, { why, event })
  }

  /** `chance`: a violation that a legal server may show now and then. */
  broken(requirement: RequirementId, why: string, event?: number, chance: Chance = {}): void {
    if (!this.#broken.has(requirement)) this.#broken.set(requirement, { why, event, ...chance })
  }

  /** Keeps a violation or, without a fault, a success. */
  decide(
    requirement: RequirementId,
    fault: string | undefined | false,
    success: string,
    event?: number,
  ): void {
    if (fault) this.broken(requirement, fault, event)
    else this.held(requirement, success, event)
  }

  observed(question: OpenQuestionId, answer: string): void {
    if (!this.#answers.has(question)) this.#answers.set(question, answer)
  }

  isBroken(...requirements: readonly RequirementId[]): boolean {
    return requirements.some((requirement) => this.#broken.has(requirement))
  }

  /** Removes the findings of a requirement that follow from another broken requirement. */
  retract(requirement: RequirementId): void {
    this.#broken.delete(requirement)
    this.#held.delete(requirement)
  }

  judgement(exchanges: readonly string[]): Judgement {
    const held = [...this.#held].filter(([requirement]) => !this.#broken.has(requirement))
    const findingOf =
      (verdict: Finding['verdict']) =>
      ([requirement, { event, ...note }]: readonly [RequirementId, Note]): Finding => {
        const finding = { requirement, verdict, ...note, exchanges }
        return event === undefined ? finding : { ...finding, event }
      }
    const answers = [...this.#answers]
    return {
      findings: [...[...this.#broken].map(findingOf('broken')), ...held.map(findingOf('held'))],
      observations: answers.map(([question, answer]) => ({ question, answer, exchanges })),
    }
  }
}

type Chance = Pick<Finding, 'mayBeChance'>

interface Note extends Chance {
  readonly why: string
  readonly event: number | undefined
}

/** Judge of one aspect of an exchange, whose findings a collector keeps. */
export abstract class PartialJudge {
  protected readonly collector: FindingCollector

  constructor(collector: FindingCollector) {
    this.collector = collector
  }
}
