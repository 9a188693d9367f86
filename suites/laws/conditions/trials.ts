/** Requests under conditions: the rows of a covering array, sent one after the other. */
import {
  type Conditions,
  conditions,
  type LawfulOperation,
  requirementsUnder,
} from '../../../contract/conditions.ts'
import type { RequirementId } from '../../../contract/index.ts'
import {
  describeRow,
  type Exchange,
  expectAccepted,
  isDeclined,
  isKeyRefusal,
  pairsOf,
  plain,
  type Row,
  rowsToTry,
  type Scenario,
  type Values,
  valuesOf,
} from '../../../harness/conformance/scenario/index.ts'
import { usualChange } from '../../support/mistakes.ts'
import { claimSteady, isContentRefusal } from '../../support/refusals.ts'
import type { Body, Edit, Law, Plan, Trial } from './plan.ts'

type Changes = Readonly<Record<string, Body | Edit | undefined>>

/** Requirements that the conditions of an operation and its laws decide, and others. */
export function requirementsOfLaws(
  operation: LawfulOperation,
  laws: readonly Pick<Law<never>, 'requirements'>[],
  others: readonly RequirementId[] = [],
): readonly RequirementId[] {
  const ofLaws = laws.flatMap(({ requirements }) => requirements)
  return [...new Set([...requirementsUnder(operation), ...ofLaws, ...others])]
}

/**
 * Sends the rows of an operation and applies its laws to each accepted one. A refusal breaks the requirement of
 * the value that causes it: one that is refused alone, or one without which the row is accepted.
 */
export async function tryConditions<O extends LawfulOperation, Run extends Scenario>(
  context: Run,
  plan: Plan<O, Run>,
): Promise<readonly Trial[]> {
  const { session, coverage } = context
  const requests = new LawfulRequests(context, plan)
  const values = requests.valuesOf({ areAllowed: true })
  const trials: Trial[] = []
  const options = {
    depth: coverage.depth,
    seed: coverage.seed,
    count: plan.rows ?? coverage.rows,
  }
  const { operation, accepts, steady } = plan
  const rows = coverage.rowsOfTry(operation, rowsToTry(values, plan, options))
  for (const row of rows) {
    const before = session.findings.brokenCount
    const trial = await requests.tryRow(row)
    if (trial !== undefined) {
      trials.push(trial)
      for (const { law } of plan.laws ?? []) await law(context, trial)
    }
    const broken = session.findings.brokenCount - before
    if (broken > 0) coverage.addBroken(operation, row, broken)
    if (trials.length === 0) break
  }
  const count = requests.passing.length
  // Two that pass, and a quarter of the requests, are not chance.
  if (steady && count >= 2 && count * 4 >= rows.length) {
    const why = `${count} of ${rows.length} requests were refused, but accepted when they were repeated`
    const errors = requests.passing.map(({ id }) => ({ id, isOdd: true }))
    session.addFinding(steady, 'broken', why, errors)
  }
  if (accepts) claimSteady(session, operation, accepts)
  const all = pairsOf(requests.valuesOf({ areAllowed: false }))
  const tried = pairsOf(
    values,
    trials.map(({ row }) => row),
  )
  coverage.add({
    operation,
    rows: trials.length,
    tried: tried.size,
    pairs: all.size,
    untried: coverage.depth === 'full' ? [...all].filter((pair) => !tried.has(pair)) : [],
  })
  return trials
}

/** Refusals of a value beside others before it is left out; each costs several requests. */
const maxRefusals = 3

/** Requests of an operation by their conditions, and the values that it refuses. */
class LawfulRequests<O extends LawfulOperation> {
  readonly #context: Scenario
  readonly #plan: Plan<O, never>
  readonly #dimensions: Conditions
  readonly #refused = new Set<string>()
  readonly #accepted = new Set<string>()
  /** Refusals of requests that were accepted when they were repeated. */
  readonly passing: Exchange[] = []
  #lastAccepted: Row | undefined
  /** Refusals of each value beside others. */
  readonly #refusals = new Map<string, number>()

  constructor(context: Scenario, plan: Plan<O, never>) {
    this.#context = context
    this.#plan = plan
    this.#dimensions = conditions[plan.operation]
  }

  /** Values of each dimension: all, or those that the profile allows. */
  valuesOf({ areAllowed }: { readonly areAllowed: boolean }): Values {
    const entries = Object.entries(this.#dimensions).map(([name, of]) => {
      const isKnown = (value: string) => !areAllowed || this.#editOf(name, value) !== undefined
      return [name, [plain, ...Object.keys(of).filter(isKnown)]]
    })
    return Object.fromEntries(entries)
  }

  /** The accepted request of a row, without refused values; undefined if it is refused without them too. */
  async tryRow(planned: Row): Promise<Trial | undefined> {
    const row = this.#withoutRefused(planned)
    const trial = await this.#send(row)
    if (!isDeclined(trial.answer)) return this.#accept(trial)
    const again = await this.#send(row)
    if (!isDeclined(again.answer)) {
      if (isContentRefusal(trial.answer)) this.passing.push(trial.answer)
      return this.#accept(again)
    }
    if (this.#lastAccepted === undefined) return this.#claimPlainRefused(row)
    return (
      (await this.#afterAccepted(again, this.#lastAccepted)) ??
      (await this.#withoutRefusedAlone(row)) ??
      this.#withoutRefusedTogether(again)
    )
  }

  /** Sends a row that follows a refusal after an accepted request: each refusal so far may be the cause of the next one. */
  async #afterAccepted({ row, answer }: Trial, accepted: Row): Promise<Trial | undefined> {
    if (row['after'] !== 'refusal') return undefined
    await this.#send(accepted)
    const trial = await this.#send({ ...row, after: plain })
    if (isDeclined(trial.answer)) return undefined
    this.#claimRefused('after', 'refusal', row, [answer, trial.answer])
    return this.#accept(trial)
  }

  async #claimPlainRefused(row: Row): Promise<undefined> {
    const { answer } = await this.#send(row)
    const { accepts } = this.#plan
    if (accepts)
      this.#context.claim(accepts, () => expectAccepted(answer, 'a plain request'), answer)
  }

  /** Tries each value that was not accepted before alone. */
  async #withoutRefusedAlone(row: Row): Promise<Trial | undefined> {
    const plainRow = Object.fromEntries(Object.keys(row).map((name) => [name, plain]))
    for (const [name, value] of valuesOf(row)) {
      if (this.#accepted.has(`${name} ${value}`)) continue
      const alone = await this.#send({ ...plainRow, [name]: value })
      if (isDeclined(alone.answer)) {
        this.#refused.add(`${name} ${value}`)
        this.#claimRefused(name, value, alone.row, [alone.answer])
      } else this.#accept(alone)
    }
    const reduced = this.#withoutRefused(row)
    if (valuesOf(reduced).length === valuesOf(row).length) return undefined
    const trial = await this.#send(reduced)
    return isDeclined(trial.answer) ? undefined : this.#accept(trial)
  }

  /** Omits one value after the other, first the key of another caller, unless it has the right to such requests. */
  async #withoutRefusedTogether({ row, answer }: Trial): Promise<Trial | undefined> {
    const mayLackRights = (key: string) => !this.#accepted.has(key) || isKeyRefusal(answer)
    const rank = ([name, value]: readonly [string, string]) =>
      name === 'caller' ? (mayLackRights(`${name} ${value}`) ? 1 : -1) : 0
    for (const [name, value] of valuesOf(row).toSorted((a, b) => rank(b) - rank(a))) {
      const trial = await this.#send({ ...row, [name]: plain })
      if (isDeclined(trial.answer)) continue
      const key = `${name} ${value}`
      const count = (this.#refusals.get(key) ?? 0) + 1
      this.#refusals.set(key, count)
      // A caller without the rights to one request may have those to others.
      const isUnknown = name === 'caller' && !this.#accepted.has(key)
      if (isUnknown || count > maxRefusals) this.#refused.add(key)
      this.#claimRefused(name, value, row, [answer, trial.answer])
      return this.#accept(trial)
    }
    return undefined
  }

  async #send(row: Row): Promise<Trial> {
    // In the order of the dimensions, because the kind of a text is set before its form.
    const edit = (base: Body): Body =>
      Object.keys(this.#dimensions).reduce(
        (edited, name) => this.#editOf(name, row[name] ?? plain)?.(edited) ?? edited,
        base,
      )
    const body = edit(await this.#plan.base(row))
    return { row, body, edit, answer: await this.#plan.send(body, row) }
  }

  #accept(trial: Trial): Trial {
    this.#lastAccepted = trial.row
    const isAnswer = this.#plan.isAnswer?.(trial.answer) ?? true
    for (const [name, value] of valuesOf(trial.row)) {
      this.#accepted.add(`${name} ${value}`)
      const requirement = this.#dimensions[name]?.[value]
      if (!isAnswer || requirement == null || this.#plan.shownByLaws?.includes(name)) continue
      this.#context.claim(requirement, () => expectAccepted(trial.answer), trial.answer)
    }
    return trial
  }

  #claimRefused(name: string, value: string, row: Row, evidence: readonly Exchange[]): void {
    const { guesses = ['caller'], accepts } = this.#plan
    const { claim, session } = this.#context
    const [answer] = evidence
    if (!answer) return
    // One whose key is valid may lack rights, but no 5xx says so.
    const isError = (answer.response?.status ?? 0) >= 500
    const isFailure = name === 'caller' && isError && session.context.gate.knowsKeyOf(answer)
    const isProven = name === 'caller' ? isFailure : this.#accepted.has(`${name} ${value}`)
    if (guesses.includes(name) && !isProven) return
    const ofValue = this.#dimensions[name]?.[value]
    // Only this operation fails for the key: what needs the key elsewhere can be decided.
    const requirement = isFailure ? (accepts ?? ofValue) : ofValue
    const what = `a request with ${describeRow(row)} (accepted without ${name} ${value})`
    if (requirement != null) claim(requirement, () => expectAccepted(answer, what), ...evidence)
  }

  #withoutRefused(row: Row): Row {
    const refused = valuesOf(row).filter(([name, value]) => this.#refused.has(`${name} ${value}`))
    return { ...row, ...Object.fromEntries(refused.map(([name]) => [name, plain])) }
  }

  #editOf(name: string, value: string): Edit | undefined {
    const edits: Readonly<Record<string, Changes | undefined>> = this.#plan.edits ?? {}
    const { otherKey } = this.#context.session.context.setup.profile
    const isLacking = value === plain || (name === 'caller' && otherKey === undefined)
    const byDefault = () => (isLacking ? undefined : usualChange(name, value))
    const change = edits[name] ? edits[name][value] : byDefault()
    return typeof change === 'object' ? (body) => ({ ...body, ...change }) : change
  }
}
