import { namesOf, type OperationId, type RequirementId } from '../../contract/index.ts'
import {
  answerJson,
  answerText,
  assume,
  bodyText,
  type Exchange,
  expect,
  isDeclined,
  leavesOf,
  type Scenario,
  sendAtOnce,
  statusText,
  succeeded,
} from '../../harness/conformance/scenario/index.ts'
import type { Body } from '../laws/conditions/plan.ts'
import type { Recall } from './recall.ts'
import { withCombinedTexts } from './text-edits.ts'

/**
 * Tests if a request was refused because of its content. If neither the document nor the profile specifies all
 * of the content, the refusal may be due to our guess and is not a violation.
 */
export function isContentRefusal(exchange: Exchange): boolean {
  const status = statusText(exchange)
  return /^4\d\d$/.test(status) && !otherReasons.includes(status)
}

/** Credentials, unknown route, unknown method, timeout, rate limit. */
const otherReasons = ['401', '403', '404', '405', '408', '429']

/** Claims that an operation does not fail repeatedly: such errors are not a hiccup of the service. */
export function claimSteady(
  session: Scenario['session'],
  operation: OperationId,
  requirement: RequirementId,
): void {
  const { requests, errors = [] } = session.findings.frequentErrors(operation) ?? {}
  if (errors.length === 0) return
  const why = `${errors.length} of ${requests} requests were answered 500, but accepted when they were repeated`
  session.addFinding(requirement, 'broken', why, errors)
}

/** Tests if a body names a prefix as `/api/v2` or `api/v2`, alone or in a URL. */
export function namesPrefix(exchange: Exchange, prefixes: readonly string[]): boolean {
  const text = hintText(exchange)
  return prefixes.some((prefix) => {
    const path = prefix.slice(1).replaceAll(/[^\w/]/g, '\\$&')
    return new RegExp(`\\b${path}\\b`).test(text)
  })
}

/** Body text for the search for a hint (section 7): decodes `\/ap\u0069\u002fv2` in JSON, `&#x2F;api&#x2F;v2` in HTML. */
function hintText(exchange: Exchange): string {
  return bodyText(exchange)
    .replaceAll(/\\+u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replaceAll(/\\+\//g, '/')
    .replaceAll(/&(?:#0*47|#x0*2f|sol);/gi, '/')
}

/** The versions that an answer states for a chat, next to its id: elsewhere they may be an echo. */
export function statedVersions(answer: Exchange, chatId: string): string[] {
  const leaves = leavesOf(answerJson(answer)).map(({ path, value }) => ({
    record: path.slice(0, -1).join('/'),
    text: typeof value === 'string' ? value.toLowerCase() : '',
  }))
  const records = leaves
    .filter(({ text }) => text === chatId.toLowerCase())
    .map(({ record }) => record)
  return leaves
    .filter(({ record, text }) => records.includes(record) && (text === 'v2' || text === 'v3'))
    .map(({ text }) => text)
}

/** Claims that a call for a chat of another version is refused with the prefix of that `version`. */
export function claimRefused(
  { claim, session, profile }: Scenario,
  requirement: RequirementId | null,
  what: string,
  exchange: Exchange,
  version: 'v2' | 'v3',
): void {
  const status = exchange.response?.status
  session.observe('OPEN-18', `${what}: ${status}`, [exchange])
  if (requirement === null) return
  const prefixes = namesOf(profile, version)
  // It may also name the other one.
  const isHint = () => {
    expect(isDeclined(exchange), `${what} for a chat of another version is refused`).toBe(true)
    if (!namesPrefix(exchange, prefixes))
      expect(hintText(exchange), `the error of ${what}`).toContain(prefixes.at(-1))
  }
  claim(requirement, isHint, exchange)
  claim('VER-10', () => expect(status, `status of ${what}`).toBeLessThan(500), exchange)
}

/** Claims the hint only if the same request is accepted for a chat of its version: a target may refuse a field, or each call. */
export async function claimRefusedAs(
  scenario: Scenario,
  requirement: RequirementId | null,
  what: string,
  exchange: Exchange,
  version: 'v2' | 'v3',
  sendTwin: () => Promise<Exchange>,
): Promise<void> {
  const isTold = isDeclined(exchange) && namesPrefix(exchange, namesOf(scenario.profile, version))
  if (requirement === null || isTold || !isDeclined(exchange) || succeeded(await sendTwin()))
    claimRefused(scenario, requirement, what, exchange, version)
}

/**
 * Sends generations that must be refused, each for a message without a reply: a server may allow one reply to a
 * message and refuse a second one regardless of other mistakes. The accepted generation is sent if no other
 * message is stored.
 */
export function replyToUnanswered({ v2, prompts }: Scenario, accepted: Body) {
  const unanswered = async (more: Body): Promise<Body> => {
    // The first of them is the second generation of its chat, and follows its message if that takes another one.
    const isFirst = sent === 1
    const chat = isFirst ? String(accepted['chat_id']) : await v2.chat()
    const store = (link: Body) =>
      v2.message(v2.messageBody(chat, prompts.otherBrief(), { ...more, ...link }))
    const child = await store(isFirst ? { parent_id: accepted['parent_id'] } : {})
    const stored = isFirst && !succeeded(child) ? await store({}) : child
    return succeeded(stored) ? v2.generateBody(chat, v2.storedId(stored)) : accepted
  }
  const messages: readonly Body[] = [{}, { think: true, rag: 'agent' }]
  const bodies: (Body | undefined)[] = []
  let sent = 0
  return async (
    edit: (body: Body) => Body,
    options: { readonly authorization?: string | null } = {},
  ): Promise<Exchange> => {
    const at = sent % messages.length
    sent += 1
    const body = bodies[at] ?? (await unanswered(messages[at] ?? {}))
    const answer = await v2.generate(edit(body), { role: 'negative', ...options })
    bodies[at] = succeeded(answer) ? undefined : body
    return answer
  }
}

/** The reply to a message while a question is asked in another chat, and then asked again: they know nothing of each other. */
export async function replyBesideOtherChat(
  scenario: Scenario,
  chat: string,
  { fact: own, ask }: Pick<Recall, 'fact' | 'ask'>,
  reply: (options: object) => Promise<Exchange>,
): Promise<Exchange> {
  const { v2, claim, session, prompts } = scenario
  const other = await v2.chat()
  if (other === chat) return reply({})
  const reference = session.nonce()
  const { id } = await v2.storeOk(other, prompts.note(reference))
  // The same question as in the first chat.
  const question = await v2.storeOk(other, ask, { parent_id: id })
  const body = v2.generateBody(other, question.id)
  const [first, answer] = await sendAtOnce(session, reply, (options) =>
    v2.generate(body, { role: 'act', ...options }),
  )
  assume(first && answer, 'a request is missing')
  // The second turn of a chat that was told nothing; whether a message may follow one with a reply is open.
  const odd = withCombinedTexts(ask, scenario)
  const later = await v2.message(v2.messageBody(other, odd, { parent_id: question.id }))
  const again = succeeded(later)
    ? await v2.generate(v2.generateBody(other, v2.storedId(later)), { role: 'act' })
    : later
  for (const [one, fact] of [
    [first, reference],
    [answer, own],
    [again, own],
  ] as const) {
    if (isDeclined(one)) continue
    const text = expect(answerText(one), 'the answer in another chat')
    claim('V2-CTX-02', () => text.not.toContain(fact), one)
  }
  return isDeclined(first) ? reply({}) : first
}
