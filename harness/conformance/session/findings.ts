import {
  type Exchange,
  type Finding,
  type Observation,
  requirements,
} from '../../../contract/index.ts'
import { judge } from '../../judges/index.ts'
import type { ScenarioFinding } from '../run-setup.ts'
import { isOdd } from './requests/failure.ts'

/** An exchange, or the part kept of one: sessions outlive their scenarios, bodies must not. */
export type Evidence = Exchange | { readonly id: string; readonly isOdd?: boolean }

/** Findings of one scenario. Those that rest on an odd response are doubtful (see `report/confirmation.ts`). */
export class ScenarioFindings {
  readonly #broken: ScenarioFinding[] = []
  /** One for each requirement, and one for its doubtful findings: only the exchanges count. */
  readonly #held = new Map<string, { finding: ScenarioFinding; exchanges: Set<string> }>()
  /** A request that should be accepted got a response that may come from a front. */
  #hadOddAnswer = false

  /** Judges an exchange by itself. */
  judge(exchange: Exchange): readonly Observation[] {
    const { findings, observations } = judge(exchange)
    const isDoubtful = isOdd(exchange)
    for (const finding of findings) {
      if (finding.requirement in requirements) {
        this.#keep(isDoubtful ? { ...finding, isDoubtful } : finding)
      }
    }
    const { role } = exchange.labels
    if (isDoubtful && role !== 'negative' && role !== 'cleanup') this.#hadOddAnswer = true
    return observations
  }

  /** Adds the result of a claim. */
  add(finding: Omit<Finding, 'exchanges'>, evidence: readonly Evidence[], isConfirmed: boolean) {
    const isOnOddAnswer = this.#hadOddAnswer || evidence.some(isOddEvidence)
    const isDoubtful = finding.verdict === 'broken' && !isConfirmed && isOnOddAnswer
    const exchanges = evidence.map(({ id }) => id)
    this.#keep({ ...finding, exchanges, ...(isDoubtful && { isDoubtful }) })
  }

  #keep(finding: ScenarioFinding): void {
    if (finding.verdict === 'broken') {
      this.#broken.push(finding)
      return
    }
    const key = `${finding.requirement} ${finding.isDoubtful ?? false}`
    const kept = this.#held.get(key) ?? { finding, exchanges: new Set() }
    for (const id of finding.exchanges) kept.exchanges.add(id)
    this.#held.set(key, kept)
  }

  all(): readonly ScenarioFinding[] {
    const held = [...this.#held.values()].map(({ finding, exchanges }) => ({
      ...finding,
      exchanges: [...exchanges],
    }))
    return [...this.#broken, ...held]
  }
}

function isOddEvidence(evidence: Evidence): boolean {
  return 'request' in evidence ? isOdd(evidence) : evidence.isOdd === true
}
