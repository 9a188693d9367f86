/** Shape of a requirement in the catalog; see `Level` for the levels. */

/** Parts of the service, each with its own paths. */
export const surfaces = ['openai', 'v2', 'v3'] as const
export type Surface = (typeof surfaces)[number]

/** Names of selections: a surface, the requirements of the common wire format, or all. */
export const profileNames = [...surfaces, 'wire', 'full'] as const
export type ProfileName = (typeof profileNames)[number]

/**
 * Document that a requirement comes from. `wire`: the common chat-completions format, which applies to every
 * server that implements it. `service`: the interface document alone.
 */
export type Source = 'wire' | 'service'

/**
 * The only source of severity: `required` is stated by the interface document (a
 * violation fails), `expected` by the contract that the document names (a violation warns).
 */
export type Level = 'required' | 'expected'

/** Optional features: a profile declares each as true or false (not applicable), or omits it (unproven). */
export const capabilities = [
  'reasoning',
  'images',
  'video',
  'attachments',
  'knowledge',
  'rag',
] as const
export type Capability = (typeof capabilities)[number]

export interface Requirement {
  readonly level: Level
  readonly surface: Surface
  /** Second surface that the requirement covers. */
  readonly also?: Surface
  /** Absent: `wire` on the compatible surface, `service` elsewhere. */
  readonly source?: Source
  /** Section of the interface document, for example `4.3`. */
  readonly section: string
  /** The sentence in our own words. */
  readonly title: string
  /** Optional feature without which the requirement does not apply. */
  readonly capability?: Capability
  /** Field of the target profile without which the requirement cannot be tested. */
  readonly member?: string
  /** Requirements that this one depends on: if one of them is broken, this one is inconclusive. */
  readonly needs?: readonly string[]
  /** Rule of docs/internals/wire-contract.md (R1 to R25, C1 to C11) that this one restates. */
  readonly contract?: string
  /** Usual cause of a violation and its fix, in one sentence; by default that of the area. */
  readonly hint?: string
}

/** A sentence that cannot be tested over HTTP. */
export interface Exclusion {
  readonly section: string
  readonly title: string
  readonly reason: string
}

/** A point that the document leaves open ("not shown"): never judged, only observed. */
export interface OpenQuestion {
  readonly section: string
  readonly surface: Surface
  readonly question: string
}
