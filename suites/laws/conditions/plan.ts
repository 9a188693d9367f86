/** The plan of a law scenario: what an operation is sent under its conditions. */
import type { conditions, LawfulOperation } from '../../../contract/conditions.ts'
import type { RequirementId } from '../../../contract/index.ts'
import type { Exchange, Row, Values } from '../../../harness/conformance/scenario/index.ts'

export type Body = Readonly<Record<string, unknown>>
export type Edit = (body: Body) => Body

/**
 * Fields or an edit of a body for a value of a dimension; undefined if the profile lacks what it needs.
 * `usualChange` has those of a dimension without any.
 */
export type Edits<O extends LawfulOperation> = {
  readonly [D in keyof (typeof conditions)[O]]?: {
    readonly [V in keyof (typeof conditions)[O][D]]: Body | Edit | undefined
  }
}

/** An accepted request. */
export interface Trial {
  readonly row: Row
  readonly body: Body
  readonly answer: Exchange
  /** Applies the same conditions to another request. */
  readonly edit: Edit
}

/** A law, which must hold for each accepted request under all conditions, and the requirements that it decides. */
export interface Law<Run> {
  readonly requirements: readonly RequirementId[]
  readonly law: (run: Run, trial: Trial) => Promise<void> | void
}

export interface Plan<O extends LawfulOperation, Run = unknown> {
  readonly operation: O
  readonly edits?: Edits<O>
  /** The request before its edits. */
  readonly base: (row: Row) => Body | Promise<Body>
  readonly send: (body: Body, row: Row) => Promise<Exchange>
  readonly laws?: readonly Pick<Law<Run>, 'law'>[]
  /** Number of rows, if not that of the scenario. */
  readonly rows?: number
  /** Tests if a response contains an answer; one without is no evidence for a condition. */
  readonly isAnswer?: (answer: Exchange) => boolean
  /** Dimensions whose requirements need more than an accepted request; a law claims them. */
  readonly shownByLaws?: readonly string[]
  /** Requirement that is broken if the plain request is refused, or if errors come again and again. */
  readonly accepts?: RequirementId
  /** Requirement of an operation without state that is broken if its requests are refused now and then. */
  readonly steady?: RequirementId
  /** Rows that every depth tries after the plain one. */
  readonly always?: readonly Row[]
  /** Dimensions whose values need a second generation: outside of `always`, they are tried at depth full. */
  readonly costly?: readonly string[]
  /** Values with which an answer shows whether it knows its context; at depth full, more rows have these. */
  readonly telling?: Values
  /** Dimensions whose values are guesses until one is accepted; by default, the key of another caller. */
  readonly guesses?: readonly string[]
}
