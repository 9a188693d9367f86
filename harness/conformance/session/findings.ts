import {
  type Exchange,
  type Finding,
  isObject,
  leavesOf,
  mediaType,
  type Observation,
  type OperationId,
  operationAt,
  operationOf,
  type RequirementId,
  requestPath,
  succeeded,
} from '../../../contract/index.ts'
import { answerText, judge } from '../../judges/index.ts'
import type { RunSetup, ScenarioFinding } from '../run-setup.ts'
import { historyRows } from '../scenario/read.ts'
import { issuedNonces, saidNonces } from './identities.ts'
import { isOdd } from './requests/failure.ts'
import type { RequestSpec } from './requests/wire-request.ts'

/** An exchange, or the part kept of one: sessions outlive their scenarios, bodies must not. */
export type Evidence = Exchange | { readonly id: string; readonly isOdd?: boolean }

/** Requests of an operation that were accepted, and the 500s to those that were accepted when repeated. */
interface Steadiness {
  requests: number
  readonly errors: { readonly id: string; readonly isOdd: true }[]
}

/** Findings of one scenario. Those that may rest on a front or on an older state are doubtful (see `report/confirmation.ts`). */
export class ScenarioFindings {
  readonly #broken: ScenarioFinding[] = []
  /** Violations among them that an older state may have caused. */
  readonly #stale = new Set<ScenarioFinding>()
  /** One for each requirement, and one for its doubtful findings: only the exchanges count. */
  readonly #held = new Map<string, { finding: ScenarioFinding; exchanges: Set<string> }>()
  /** A request that should be accepted got a response that may come from a front. */
  #hadOddAnswer = false
  /** A completion in one piece had text, so the model is not silent. */
  #speaks = false
  readonly #steadiness = new Map<OperationId, Steadiness>()
  /** Ids of 500s in JSON, which are the service's own, by the ordinals of their requests. */
  readonly #ownErrors = new Map<number, string>()

  /** Judges an exchange by itself, and adds what the rest of the run says about it. */
  judge(exchange: Exchange, others: readonly Finding[] = []): readonly Observation[] {
    const { findings, observations } = judge(exchange)
    const isDoubtful = isOdd(exchange)
    if (operationOf(exchange) === 'openai.chat' && mediaType(exchange) === 'application/json')
      this.#speaks ||= Boolean(answerText(exchange))
    this.#countErrors(exchange)
    for (const finding of [...findings, ...others]) {
      const isShaky = isDoubtful || finding.mayBeChance === true
      this.#keep(isShaky ? { ...finding, isDoubtful: true } : finding)
    }
    const { role } = exchange.labels
    if (isDoubtful && role !== 'negative' && role !== 'cleanup') this.#hadOddAnswer = true
    return observations
  }

  /** Adds the result of a claim. */
  add(finding: Omit<Finding, 'exchanges'>, evidence: readonly Evidence[], isConfirmed: boolean) {
    const isOnOddAnswer =
      this.#hadOddAnswer || evidence.some((one) => ('request' in one ? isOdd(one) : one.isOdd))
    const isDoubtful = finding.verdict === 'broken' && !isConfirmed && isOnOddAnswer
    const exchanges = evidence.map(({ id }) => id)
    const added = { ...finding, exchanges, ...(isDoubtful && { isDoubtful }) }
    if (!isConfirmed && !neverStale.has(finding.requirement)) this.#stale.add(added)
    this.#keep(added)
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

  get brokenCount(): number {
    return this.#broken.length
  }

  /** The errors that passed, if they were too many for a hiccup: two, and a quarter of the requests. */
  frequentErrors(operation: OperationId): Steadiness | undefined {
    const steadiness = this.#steadiness.get(operation)
    const { requests = 0, errors = [] } = steadiness ?? {}
    return errors.length >= 2 && errors.length * 4 >= requests ? steadiness : undefined
  }

  #countErrors(exchange: Exchange): void {
    const { ordinal } = exchange.labels
    if (exchange.response?.status === 500 && /\bjson$/.test(mediaType(exchange)))
      this.#ownErrors.set(ordinal, exchange.id)
    const operation = operationAt(exchange.request.method, requestPath(exchange))
    if (operation === undefined || !succeeded(exchange)) return
    const steadiness = this.#steadiness.get(operation) ?? { requests: 0, errors: [] }
    steadiness.requests += 1
    const id = this.#ownErrors.get(ordinal)
    if (id !== undefined) steadiness.errors.push({ id, isOdd: true })
    this.#steadiness.set(operation, steadiness)
  }

  /** All of them, with `redact` removing secrets; `isLate` if changes were visible late and requests did not wait. */
  outcome(redact: (text: string) => string, isLate: boolean) {
    const stale = { isDoubtful: true, mayBeStale: true }
    const findings = [
      ...this.#broken.map((one) => ({ ...one, ...(isLate && this.#stale.has(one) && stale) })),
      ...[...this.#held.values()].map(({ finding, exchanges }) => ({
        ...{ ...finding, exchanges: [...exchanges] },
      })),
    ]
    return {
      findings: findings.map((one) => ({ ...one, why: redact(one.why) })),
      speaks: this.#speaks,
    }
  }
}

/** An older state shows no step twice, and a race need not be lost again. */
const neverStale: ReadonlySet<RequirementId> = new Set(['V3-IDEM-04', 'V3-IDEM-05'])

type Run = Pick<RunSetup, 'tag' | 'state'>

/** Stands for any chat: a server may create one for a turn that it refuses, or that names none. */
const anyChat = '*'

/** Notes what a request says in a chat; before it is sent, because a history may show it before its response. */
export function noteSaid(run: Run, spec: RequestSpec): void {
  note(run, spec, chatOf(spec) ?? anyChat)
}

/** V3-HIST-16 and V3-CTX-02 (sections 4.3 and 1): no inputs of a history, and no answer, show what was sent to other chats alone. */
export function judgeForeign(run: Run, spec: RequestSpec, exchange: Exchange): Finding[] {
  if (!succeeded(exchange)) note(run, spec, anyChat)
  const chat = chatOf(spec)
  const view = shownIn(spec, exchange)
  if (view === undefined || chat === undefined || !succeeded(exchange)) return []
  const foreign = saidNonces(run, view.text).filter((nonce) => {
    const chats = run.state.nonces.get(nonce)
    return !chats?.has(chat) && !chats?.has(anyChat)
  })
  if (foreign.length === 0) return []
  const why = `${view.what}: expected [], received ${JSON.stringify([...new Set(foreign)])}`
  const { requirement } = view
  return [{ requirement, verdict: 'broken', why, exchanges: [exchange.id] }]
}

function shownIn({ method, path, query, json }: RequestSpec, exchange: Exchange) {
  const operation = operationAt(method, path)
  if (operation === 'v3.history' && query?.['cursor'] === undefined) {
    const items = historyRows(exchange).map(({ item }) => item)
    const ofUsers = items.filter((item) => isObject(item) && item['role'] === 'user')
    const what = 'the history shows a row of another chat'
    return { requirement: 'V3-HIST-16', what, text: textIn(ofUsers) } as const
  }
  // The results of a search may come from anywhere.
  const hasSearch = !isObject(json) || (json['rag'] ?? false) !== false
  if (operation !== 'v3.generate' || hasSearch) return undefined
  const what = 'facts of other chats in an answer'
  return { requirement: 'V3-CTX-02', what, text: answerText(exchange) ?? '' } as const
}

function note(run: Run, spec: RequestSpec, chat: string): void {
  if (spec.method === 'GET' || spec.json === undefined) return
  // Not as JSON, in which the letter of an escape precedes a word on a line of its own.
  for (const nonce of issuedNonces(run, textIn(spec.json))) run.state.nonces.get(nonce)?.add(chat)
}

function textIn(json: unknown): string {
  return leavesOf(json)
    .map(({ value }) => value)
    .join('\n')
}

/** The id of the chat that a request names. */
export function chatOf({ query, json }: RequestSpec): string | undefined {
  const id = query?.['chat_id'] ?? (isObject(json) ? json['chat_id'] : undefined)
  return typeof id === 'string' ? id.toLowerCase() : undefined
}
