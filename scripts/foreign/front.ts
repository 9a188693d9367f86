/** A front: third-party software between chatgen and the bundled server. */

/** Resources of a front, removed after the run. */
export interface Place {
  readonly folder: string
  /** Port on loopback that the front listens on. */
  readonly port: number
  /** A second port, for fronts of two hops. */
  readonly innerPort: number
  /** Ports of the bundled server, by its pace. */
  readonly upstream: Readonly<Record<Pace, number>>
  /** PEM files, self-signed for 127.0.0.1. */
  readonly certificate: { readonly cert: string; readonly key: string; readonly both: string }
}

/** `steady`: a token every 20 ms after 200 ms; `jittery`: with pauses of more than 120 ms. */
export const paces = {
  steady: 'ttft=200ms,gap=20ms',
  jittery: 'ttft=60ms,gap=lognormal(30ms,1.1)',
} as const
export type Pace = keyof typeof paces

export interface Start {
  /** Program and arguments; it stays in the foreground. */
  readonly command: readonly string[]
  /** Contents of the files in its folder, by name. */
  readonly files: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Timeout until it listens; ten seconds by default. */
  readonly patienceMs?: number
}

export interface Front {
  readonly name: string
  /** Program that must be installed. */
  readonly program: string
  readonly start: (place: Place) => Start
  readonly scheme?: 'http' | 'https'
  /** Path behind the port, such as `/llm`. */
  readonly path?: string
  readonly truth: Truth
}

/**
 * Expected differences of a front from the bundled server alone. Verdicts are those of `chatgen check`;
 * ids may end with `*`. Requirements that are not named keep their verdict.
 */
export interface Truth {
  /** One sentence, for the table. */
  readonly is: string
  readonly violated?: readonly string[]
  /** True only of a run in which the front's own log says so; violated or not, both are true then. */
  readonly whereLogged?: {
    readonly says: RegExp
    readonly violated: readonly string[]
    readonly undecided: readonly string[]
  }
  readonly warned?: readonly string[]
  /** Rows one of which at least has a warning: how much a buffer holds back depends on the answer. */
  readonly warnedOneOf?: readonly string[]
  /** Rows that cannot be told, or may not: gateways fail by chance. */
  readonly undecided?: readonly string[]
  /** Text that the report on the console has to have. */
  readonly says?: readonly RegExp[]
  /** A short load as well, and what its report has to say. */
  readonly load?: {
    readonly code: number
    readonly says: readonly RegExp[]
    readonly not?: readonly RegExp[]
  }
}

/** Requirements that streamed text arrives while it is generated. */
export const delivery = ['OAI-STREAM-11', 'V3-SSE-30']

/** Text comes all at once, on both surfaces. */
export const bunched: Pick<Truth, 'warned'> = { warned: delivery }

/** Text comes in a few lumps, which shows on one surface or on both. */
export const lumpy: Pick<Truth, 'warnedOneOf'> = { warnedOneOf: delivery }

/** Any of them may be cut off: what is not told is undecided, and no row is broken by it. */
export const anyUndecided: Pick<Truth, 'undecided'> = { undecided: ['*'] }
