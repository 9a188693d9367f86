import { z } from 'zod'
import { profileNames, surfaces } from '../catalog/requirement.ts'
import { container, digest } from './common.ts'

/** The report that other programs read: `report.json`, schema version 1. */

export const verdicts = [
  'pass',
  'fail',
  'warn',
  'observed',
  'not-applicable',
  'inconclusive',
  'error',
  'unproven',
  'unclaimed',
] as const
export type Verdict = (typeof verdicts)[number]

export const undecidedVerdicts: readonly Verdict[] = [
  'inconclusive',
  'unproven',
  'error',
  'unclaimed',
]

const requirementResult = z.object({
  id: z.string(),
  level: z.enum(['required', 'expected']),
  surface: z.enum(surfaces),
  section: z.string(),
  verdict: z.enum(verdicts),
  /** True if a baseline names this violation. */
  known: z.boolean(),
  /** Statement of the requirement, in our words. */
  title: z.string(),
  /** Observed behavior; null if the verdict is sufficient. */
  message: z.string().nullable(),
  /** Id of the broken requirement that this one depends on. */
  blockedBy: z.string().nullable(),
  scenarios: z.array(z.string()),
  /** Subset of `scenarios` that found it broken. */
  brokenBy: z.array(z.string()),
  /** Ids in `exchanges.ndjson`; for a violation, those that show it. */
  exchanges: z.array(z.string()),
  /** Index of the event that shows a violation, in the first of the exchanges. */
  event: z.int().nullable(),
  /** Results of the scenarios of a violation on each endpoint alone, if the target has several. */
  endpoints: z
    .object({
      /** Names of the endpoints that took part in the violation. */
      between: z.array(z.string()),
      /** Results by endpoint name. */
      alone: z.record(z.string(), z.enum(['passed', 'violated', 'undecided'])),
    })
    .optional(),
})
export type RequirementResult = z.infer<typeof requirementResult>

/** True for a requirement that the target violates, whatever its level and whether or not a baseline lists it. */
export function isViolation({ verdict }: Pick<RequirementResult, 'verdict'>): boolean {
  return verdict === 'fail' || verdict === 'warn'
}

/** True for a violation that the baseline lists. */
export function isKnownViolation(one: Pick<RequirementResult, 'verdict' | 'known'>): boolean {
  return one.verdict === 'fail' && one.known
}

const observationRow = z.object({
  id: z.string(),
  question: z.string(),
  answer: z.string(),
  exchanges: z.array(z.string()),
})
export type ObservationRow = z.infer<typeof observationRow>

const residue = z.object({
  kind: z.enum(['chat', 'v2 chat', 'attachment', 'document']),
  name: z.string(),
  /** Null if no response contained it. */
  id: z.string().nullable(),
  why: z.string(),
})
/** A resource that the run created and that exists, or may exist, afterwards. */
export type Leftover = z.infer<typeof residue>

const traffic = z.object({
  /** Responses that began, with any status. */
  answers: z.int(),
  /** Number of answers with 429 or 5xx, by status. */
  statuses: z.record(z.string(), z.int()),
  /** Requests without a response: the connection ended or could not be opened. */
  unanswered: z.int(),
  /** Responses that were cut before their end. */
  cut: z.int(),
  timeouts: z.int(),
  /** Requests that were sent again. */
  retries: z.int(),
})
/** Transport results of the requests of a run, independent of the content of answers. */
export type Traffic = z.infer<typeof traffic>

const triedConditions = z.object({
  /** Operation by its name in docs/trust.md. */
  operation: z.string(),
  /** Accepted requests. */
  rows: z.int(),
  /** Pairs of values of two dimensions that an accepted request combined, and the number of all pairs. */
  tried: z.int(),
  pairs: z.int(),
  /** The remaining pairs, in words; listed at depth full. */
  untried: z.array(z.string()),
})
/** Pairs of conditions of an operation under which its laws were tested. */
export type TriedConditions = z.infer<typeof triedConditions>

const knownViolation = z.object({
  id: z.string(),
  /** Reason for accepting the violation for now. */
  because: z.string(),
  issue: z.string().optional(),
  owner: z.string().optional(),
  /** Last day on which the entry is valid, `2026-12-31`. */
  until: z.string().optional(),
})

const baselineProblem = z.object({
  id: z.string(),
  /** `passes`: repaired; `differs`: it fails in another way; `excuses nothing`: not applicable. */
  kind: z.enum(['passes', 'excuses nothing', 'expired', 'differs', 'unwritten']),
  message: z.string(),
})
/** A baseline entry that does not match the run. */
export type BaselineProblem = z.infer<typeof baselineProblem>

const baselineOutcome = z.object({
  file: z.string(),
  /** Violations of this run that the baseline excuses. */
  known: z.array(knownViolation),
  problems: z.array(baselineProblem),
})

export const conformanceReport = z.object({
  kind: z.literal('conformance-report'),
  schemaVersion: z.literal(1),
  /** `violated` also if a baseline entry does not match the run. */
  outcome: z.enum(['conforms', 'violated', 'incomplete']),
  /** True if the run was interrupted, so the results are partial. */
  interrupted: z.boolean(),
  /** Reason why the run stopped sending, e.g. a spent budget or a target that no longer answered; absent otherwise. */
  stopped: z.string().optional(),
  suite: z.object({ version: z.string(), interface: z.string() }),
  target: z.object({
    baseUrl: z.string(),
    /** Prefixes of surfaces that differ from the interface document; absent if none does. */
    prefixes: z.record(z.string(), z.string().optional()).optional(),
    profile: z.enum(profileNames),
    capabilities: z.record(z.string(), z.boolean()),
    /** Endpoints of one service over which the requests were distributed; absent if there was one. */
    endpoints: z
      .array(
        z.object({
          /** Name as in the label `endpoint` of an exchange, such as `A`. */
          name: z.string(),
          baseUrl: z.string(),
          /** Scenario requests that were sent to it. */
          requests: z.int(),
        }),
      )
      .optional(),
    /** Absent if the run did not start its target. */
    container: container.optional(),
    /** Absent if the target was reached directly, with its certificate verified. */
    network: z
      .object({
        /** True: the certificate of the target was not verified. */
        insecure: z.boolean(),
        /** The HTTP version that was forced; null if ALPN decided. */
        httpVersion: z.literal([1, 2]).nullable(),
        /** Host and port of the proxy; null without one. */
        proxy: z.string().nullable(),
        resolve: z.array(z.string()),
      })
      .optional(),
  }),
  /** Reproduces the nonces and identifiers. */
  seed: z.string(),
  /** Counts warnings as violations. */
  strict: z.boolean(),
  startedAt: z.string(),
  /** The run whose stored exchanges were judged; absent if the run sent requests. */
  recording: z
    .object({
      startedAt: z.string(),
      suite: z.object({ version: z.string(), interface: z.string() }),
    })
    .optional(),
  durationMs: z.number(),
  totals: z.object({
    pass: z.int(),
    fail: z.int(),
    warn: z.int(),
    observed: z.int(),
    'not-applicable': z.int(),
    inconclusive: z.int(),
    error: z.int(),
    unproven: z.int(),
    known: z.int(),
  }),
  /** Cost of the run to the target. */
  cost: z.object({ requests: z.int(), generations: z.int(), chats: z.int(), uploads: z.int() }),
  /** Traffic of the requests of scenarios. */
  traffic,
  /** Conditions under which laws were tested: each once, each several times, or each pair. */
  depth: z.enum(['quick', 'normal', 'full']).optional(),
  conditions: z.array(triedConditions).optional(),
  /** Random operations beside the suites; absent if there were none, or they ended early. */
  exploration: z.object({ operations: z.int(), violations: z.int() }).optional(),
  requirements: z.array(requirementResult),
  /** Number of requirements of the profile that `--only` or `--skip` left out; absent if there are none. */
  unselected: z.int().optional(),
  observations: z.array(observationRow),
  /** Internal errors: scenarios that threw, files that did not load. */
  faults: z.array(z.object({ scenario: z.string(), message: z.string() })),
  /** Resources left on the target: not a violation. */
  residue: z.array(residue),
  /** Reason why the search for leftovers was skipped or incomplete; null if it was completed. */
  residueUnseen: z.string().nullable(),
  /** Absent without a baseline. */
  baseline: baselineOutcome.optional(),
  /** Undecided requirements that do not count because the user excluded them; absent if there was no such option. */
  allowedUndecided: z
    .object({
      /** Globs over ids, areas and titles. */
      globs: z.array(z.string()),
      ids: z.array(z.string()),
    })
    .optional(),
  /** Absent until the report is written. */
  digest: digest.optional(),
})
export type ConformanceReport = z.infer<typeof conformanceReport>
