/** Deliberate deviations: violations of few requirements (faults), and legal variants (dialects). */
import type { RequirementId, Surface } from '../../contract/index.ts'
import type { Patch } from '../services.ts'

/** One narrow violation of the document or of the contract that it names. */
export interface Fault {
  /** Name in kebab case, surface first: `openai-created-in-milliseconds`. */
  readonly name: string
  /** Violation, in a sentence. */
  readonly summary: string
  /** All requirements that it breaks; more than two need `because`. */
  readonly breaks: readonly [RequirementId, ...RequirementId[]]
  /** Reason why there is no narrower fault. */
  readonly because?: string
  /** Real server that did this. */
  readonly precedent?: string
  readonly patch: Patch
}

/** Legal behavior that differs from the plain server. */
export interface Dialect {
  readonly name: string
  /** Difference from the plain server, in a sentence. */
  readonly summary: string
  /** Changes of the target profile (JSON Merge Patch, RFC 7396), if discovery by value fails. */
  readonly profile?: Readonly<Record<string, unknown>>
  /** The only surface on which it is visible; any surface by default. */
  readonly surface?: Surface
  /** Names of dialects that contradict this one. */
  readonly excludes?: readonly string[]
  readonly patch: Patch
}
