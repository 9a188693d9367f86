/** Deliberate deviations: violations of few requirements (faults), and legal oddities (dialects). */
import type { RequirementId, Surface, Variation } from '../../contract/index.ts'
import type { Patch } from '../services.ts'

/** One narrow violation of the document or of the contract that it names. */
export interface Fault {
  /** In kebab case, surface first: `openai-created-in-milliseconds`. */
  readonly name: string
  /** Violation, in a sentence. */
  readonly summary: string
  /** All requirements that it breaks; more than two need `because`. */
  readonly breaks: readonly [RequirementId, ...RequirementId[]]
  /** The values of a dimension with which alone it shows, where it does not show with all. */
  readonly only?: Variation
  /** Reason why no narrower fault shows it. */
  readonly because?: string
  /** Real server that did this. */
  readonly seen?: string
  readonly patch: Patch
}

/** Legal behaviour that differs from the plain server. */
export interface Dialect {
  readonly name: string
  /** Difference from the plain server, in a sentence. */
  readonly summary: string
  /** Members of the target profile that describe such a server, where discovery by value fails. */
  readonly profile?: Readonly<Record<string, unknown>>
  /** The only surface on which it shows; without it, it may show on each. */
  readonly surface?: Surface
  /** Names of dialects that contradict this one. */
  readonly excludes?: readonly string[]
  readonly patch: Patch
}
