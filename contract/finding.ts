import type { OpenQuestionId, RequirementId } from './catalog/index.ts'

/**
 * Result of a judge or a claim for one requirement. A requirement passes only if something held and nothing
 * broke, so a requirement that was never checked cannot pass.
 */
export interface Finding {
  readonly requirement: RequirementId
  readonly verdict: 'held' | 'broken'
  /** One sentence; for `broken` it contains the observed and the expected behavior. */
  readonly why: string
  /** Exchanges that show it. */
  readonly exchanges: readonly string[]
  /** Index of the event in its stream, if one event shows it. */
  readonly event?: number
  /** A violation that a legal server may show now and then. */
  readonly mayBeChance?: true
}

/** Behavior of the target at a point that the document leaves open. */
export interface Observation {
  readonly question: OpenQuestionId
  readonly answer: string
  readonly exchanges: readonly string[]
}

export interface Judgement {
  readonly findings: readonly Finding[]
  readonly observations: readonly Observation[]
}
