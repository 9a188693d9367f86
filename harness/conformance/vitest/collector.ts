import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { ScenarioCoverage, ScenarioResult } from '../report/verdicts.ts'
import type { ScenarioOutcome } from '../run-setup.ts'
import { toSlug } from '../scenario/declaration.ts'
import { type Cost, noCost } from '../usage.ts'

/** A scenario as it is written, before it runs. */
export interface Scenario extends ScenarioCoverage {
  readonly title: string
  /** Cost to a target. */
  readonly cost: Cost
  /** Generations that it asks for besides where a model misses a planted fact. */
  readonly again: number
  /** It needs a target that chooses its HTTP version. */
  readonly isNegotiated?: boolean
  readonly isAcrossEndpoints?: boolean
  readonly isOrdinary?: boolean
}

/** The errors with which a scenario says that it cannot tell, and chatgen is not at fault. */
const inconclusive = ['InconclusiveError', 'BudgetSpentError', 'CircuitOpenError']

/** Turns what vitest reports into plain results; prints nothing. */
export class Collector implements Reporter {
  readonly scenarios: Scenario[] = []
  readonly results: ScenarioResult[] = []
  /** Faults that belong to no scenario: a file that did not load, an unhandled error. */
  readonly faults: { scenario: string; message: string }[] = []
  readonly #onEnded: (scenario: string) => void
  readonly #redact: (text: string) => string
  #interrupted = false

  /** @param onEnded called with the title of each scenario that has ended. */
  constructor(onEnded: (scenario: string) => void, redact: (text: string) => string) {
    this.#onEnded = onEnded
    this.#redact = redact
  }

  /** Marks an interruption: scenarios that fail from here on were stopped and are nobody's fault. */
  interrupt(): void {
    this.#interrupted = true
  }

  /**
   * Results in the order of the suites, not of completion: of several things that break a row, the same one
   * is shown each time.
   */
  resultsInOrder(): readonly ScenarioResult[] {
    const places = new Map(this.scenarios.map(({ slug }, at) => [slug, at]))
    const placeOf = ({ slug }: ScenarioResult) => places.get(slug) ?? places.size
    return this.results.toSorted((a, b) => placeOf(a) - placeOf(b))
  }

  onTestModuleCollected(module: TestModule): void {
    for (const testCase of module.children.allTests()) this.scenarios.push(scenarioOf(testCase))
  }

  onTestCaseResult(testCase: TestCase): void {
    const { outcome } = testCase.meta()
    // A scenario that was skipped is none of this run.
    if (testCase.result().state === 'skipped') return
    if (outcome) this.results.push(this.#resultOf(testCase, outcome))
    else if (testCase.result().state === 'failed' && !this.#interrupted) {
      this.faults.push({ scenario: testCase.name, message: this.#errorOf(testCase) })
    }
    this.#onEnded(testCase.name)
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly { name?: string; message: string }[],
  ): void {
    for (const module of modules) {
      for (const error of module.errors()) {
        this.faults.push({
          scenario: module.relativeModuleId,
          message: this.#redact(error.message),
        })
      }
    }
    if (this.#interrupted) return
    for (const error of unhandled) {
      this.faults.push({ scenario: 'outside any scenario', message: this.#redact(error.message) })
    }
  }

  #resultOf(testCase: TestCase, outcome: ScenarioOutcome): ScenarioResult {
    const [error] = testCase.result().errors ?? []
    if (!error) return { ...outcome, fault: null }
    const open = outcome.covers.filter(
      (row) => !outcome.findings.some((found) => found.row === row),
    )
    if (this.#interrupted || inconclusive.includes(error.name ?? '')) {
      const reason = this.#interrupted ? 'the run was interrupted' : this.#redact(error.message)
      const exchanges = Array.isArray(error['exchanges']) ? error['exchanges'].map(String) : []
      return {
        ...outcome,
        inconclusive: [...outcome.inconclusive, { rows: open, reason, exchanges }],
        fault: null,
      }
    }
    if (error.name === 'UndeclaredError') {
      const reason = this.#redact(error.message)
      const unproven = [...outcome.unproven, { rows: open, reason, exchanges: [] }]
      return { ...outcome, unproven, fault: null }
    }
    return { ...outcome, fault: this.#errorOf(testCase) }
  }

  #errorOf(testCase: TestCase): string {
    const [error] = testCase.result().errors ?? []
    const where = error?.stacks?.[0]
    const place = where ? ` (${where.file.split('/').slice(-2).join('/')}:${where.line})` : ''
    return this.#redact(`${error?.name ?? 'Error'}: ${error?.message ?? 'unknown'}${place}`)
  }
}

function scenarioOf(testCase: TestCase): Scenario {
  const { covers, cost, again, isNegotiated, isAcrossEndpoints, isOrdinary } = testCase.meta()
  return {
    slug: toSlug(testCase.name),
    title: testCase.name,
    rows: covers ?? [],
    cost: cost ?? noCost,
    again: again ?? 0,
    isNegotiated: isNegotiated ?? false,
    isAcrossEndpoints: isAcrossEndpoints ?? false,
    isOrdinary: isOrdinary ?? false,
  }
}
