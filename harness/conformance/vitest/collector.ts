import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { ConformanceReport, TriedConditions } from '../../../contract/report/conformance.ts'
import { EvidenceError } from '../recording/result-files.ts'
import { combineTries } from '../report/confirmation.ts'
import type { ScenarioCoverage, ScenarioResult } from '../report/verdicts.ts'
import type { Depth, ScenarioOutcome } from '../run-setup.ts'
import { toSlug } from '../scenario/declaration.ts'
import { scenarioEnd } from '../session/errors.ts'
import type { RunState } from '../session/run-state.ts'
import { type Cost, noCost } from '../usage.ts'

/** A scenario as it is written, before it runs. */
export interface Scenario extends ScenarioCoverage {
  readonly title: string
  readonly cost: Cost
  /** Cost by depth, if it differs. */
  readonly lawCosts?: Readonly<Record<Depth, Cost>>
  /** Additional generations if a model misses a planted fact. */
  readonly again: number
  readonly isOrdinary?: boolean
}

/** Turns the reports of vitest into plain results; prints nothing. */
export class Collector implements Reporter {
  readonly scenarios: Scenario[] = []
  readonly results: ScenarioResult[] = []
  readonly conditions: TriedConditions[] = []
  exploration: ConformanceReport['exploration']
  /** Faults that belong to no scenario: a file that did not load, an unhandled error. */
  readonly faults: { scenario: string; message: string }[] = []
  /** State of the run at the end of the suites; undefined if they did not reach it. */
  state: RunState | undefined
  /** Message of the first exchange that could not be stored. */
  unwritten: string | undefined
  /** Reason why the run stopped sending requests: the target, or a limit of the run. */
  stopReason: string | undefined
  readonly #onEnded: (scenario: string) => void
  readonly #redact: (text: string) => string
  #interrupted = false

  /** @param onEnded called with the title of each scenario that has ended. */
  constructor(onEnded: (scenario: string) => void, redact: (text: string) => string) {
    this.#onEnded = onEnded
    this.#redact = redact
  }

  /** Marks an interruption: scenarios that fail from here on were stopped and do not count as faults. */
  interrupt(): void {
    this.#interrupted = true
  }

  /**
   * Results in the order of the suites, not of completion: if several scenarios break a requirement, every
   * run shows the same one.
   */
  resultsInOrder(): readonly ScenarioResult[] {
    const places = new Map(this.scenarios.map(({ slug }, at) => [slug, at]))
    const placeOf = ({ slug }: ScenarioResult) => places.get(slug) ?? places.size
    return this.results.toSorted((a, b) => placeOf(a) - placeOf(b))
  }

  onTestModuleCollected(module: TestModule): void {
    for (const testCase of module.children.allTests()) {
      const { covers: requirements = [], cost = noCost, again = 0, ...meta } = testCase.meta()
      const about = { slug: toSlug(testCase.name), title: testCase.name, requirements, cost, again }
      this.scenarios.push({ ...meta, ...about })
    }
  }

  onTestModuleEnd(module: TestModule): void {
    this.state = module.meta().state
  }

  onTestCaseResult(testCase: TestCase): void {
    const { outcomes = [], conditions = [], exploration } = testCase.meta()
    this.exploration ??= exploration
    const [first, ...again] = outcomes
    this.conditions.push(...conditions)
    // Skipped scenarios are not part of the run.
    if (testCase.result().state === 'skipped') return
    if (first) {
      const errors = errorsOfTries(testCase)
      const tries = again.map((outcome, at) => this.#resultOf(outcome, errors[at + 1]))
      this.results.push(combineTries([this.#resultOf(first, errors[0]), ...tries]))
    } else if (testCase.result().state === 'failed' && !this.#interrupted) {
      const [error] = testCase.result().errors ?? []
      this.faults.push({ scenario: testCase.name, message: this.#describe(error) })
    }
    this.#onEnded(testCase.name)
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly { name?: string; message: string }[],
  ): void {
    const add = (scenario: string, { message }: { readonly message: string }) =>
      this.faults.push({ scenario, message: this.#redact(message) })
    for (const module of modules) {
      for (const error of module.errors()) add(module.relativeModuleId, error)
    }
    if (this.#interrupted) return
    for (const error of unhandled) add('outside any scenario', error)
  }

  #resultOf(outcome: ScenarioOutcome, error: TestError | undefined): ScenarioResult {
    if (!error) return { ...outcome, fault: null }
    const { covers, findings, inconclusive, unproven } = outcome
    const found = new Set(findings.map(({ requirement }) => requirement))
    const open = covers.filter((id) => !found.has(id))
    const exchanges = Array.isArray(error['exchanges']) ? error['exchanges'].map(String) : []
    const reason = this.#redact(String(error.message))
    if (error['endsRun'] === true) this.stopReason ??= error.message
    const leaving = (requirements: ScenarioOutcome['covers'], why: string) => ({
      ...{ ...outcome, fault: null },
      inconclusive: [...inconclusive, { requirements, reason: why, exchanges }],
    })
    if (this.#interrupted) return leaving(covers, 'the run was interrupted')
    if (error['code'] === scenarioEnd.inconclusive) {
      // Of laws, each condition that was not tried might break what held under the others.
      const isOfLaws = this.scenarios.some(
        ({ title, lawCosts }) => title === outcome.title && lawCosts,
      )
      return leaving(isOfLaws && error['isCut'] === true ? covers : open, reason)
    }
    if (error['code'] === scenarioEnd.undeclared) {
      const entry = { requirements: open, reason, exchanges: [] }
      return { ...outcome, unproven: [...unproven, entry], fault: null }
    }
    if (error['code'] === EvidenceError.code) this.unwritten ??= reason
    return { ...outcome, fault: this.#describe(error) }
  }

  #describe(error: TestError | undefined): string {
    const where = error?.stacks?.[0]
    const place = where ? ` (${where.file.split('/').slice(-2).join('/')}:${where.line})` : ''
    return this.#redact(`${error?.name ?? 'Error'}: ${error?.message ?? 'unknown'}${place}`)
  }
}

type TestError = NonNullable<ReturnType<TestCase['result']>['errors']>[number]

/** The error of each try, if any; vitest has those of all tries in one list. */
function errorsOfTries(testCase: TestCase): readonly (TestError | undefined)[] {
  const errors: (TestError | undefined)[] = [undefined]
  for (const error of testCase.result().errors ?? []) {
    if (error.name === 'ScenarioRepeat') errors.push(undefined)
    else errors[errors.length - 1] ??= error
  }
  return errors
}
