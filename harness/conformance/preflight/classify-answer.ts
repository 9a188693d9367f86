import { bodyJson, bodyText, type Exchange, mediaType } from '../../../contract/index.ts'
import type { RequestSpec } from '../session/requests/wire-request.ts'

/**
 * Kind of sender of an answer. `service`: a route of the service, with any content. `refused`:
 * the key is refused. `busy`: not now. `absent`: no such route, or not for this method. `other`:
 * something else, such as a page, a redirect or a gateway. `silence`: no answer.
 */
export type AnswerKind = 'service' | 'refused' | 'busy' | 'absent' | 'other' | 'silence'

/** The bodies of errors are not shown, so a JSON answer is enough; the document shows no other. */
export function classifyAnswer(exchange: Exchange): AnswerKind {
  const { response } = exchange
  if (response === null) return 'silence'
  const { status } = response
  if (status === 401 || status === 403) return isPage(exchange) ? 'other' : 'refused'
  if (status === 429 || status === 503) return 'busy'
  if (absences.includes(status)) return 'absent'
  if (status >= 300 && status < 400) return 'other'
  if (gateways.includes(status)) return 'other'
  return isJson(exchange) || exchange.events.length > 0 ? 'service' : 'other'
}

const absences: readonly number[] = [404, 405, 410, 501]
const gateways: readonly number[] = [502, 504]

/**
 * Tests if a refusal differs from that of a route that cannot exist: a service may answer
 * 404 for an unknown resource. Text that a refusal repeats from its request does not count.
 */
export function differs(answer: Exchange, control: Exchange): boolean {
  if (answer.response === null || control.response === null) return false
  return withoutEcho(answer) !== withoutEcho(control)
}

function withoutEcho(exchange: Exchange): string {
  const { method, url } = exchange.request
  const { pathname, search } = new URL(url)
  const requestParts = [`${pathname}${search}`, pathname, method]
  const text = requestParts.reduce((body, part) => body.replaceAll(part, ''), bodyText(exchange))
  // Times, ids and lengths differ from answer to answer.
  return `${exchange.response?.status} ${mediaType(exchange)} ${text.replaceAll(/[0-9a-f-]*\d[0-9a-f-]*/gi, '')}`
}

/** A cut or coded body still says by its type what it is. */
function isJson(exchange: Exchange): boolean {
  if (exchange.response?.chunks.length === 0) return false
  const body = bodyJson(exchange)
  return /[/+]json$/.test(mediaType(exchange)) || (typeof body === 'object' && body !== null)
}

export function isPage(exchange: Exchange): boolean {
  return /html/.test(mediaType(exchange)) || /^\s*(<!doctype html|<html)/i.test(bodyText(exchange))
}

/** Sends a request, to another base address where one is given. */
export type SendProbe = (spec: RequestSpec, baseUrl?: string) => Promise<Exchange>

/**
 * Selects the answers that only a route gives: a service may say 404 of a thing that it does not
 * know, so what cannot be there is asked for as well.
 */
export async function selectRouted(
  answers: readonly Exchange[],
  ask: SendProbe,
): Promise<Exchange[]> {
  // Pages are written for readers, and anew for each.
  const absent = answers.filter((answer) => classifyAnswer(answer) === 'absent' && !isPage(answer))
  const methods = [...new Set(absent.map(({ request }) => request.method))]
  const controls = await Promise.all(methods.map((method) => ask({ ...noRoute(method) })))
  return answers.filter((answer) => {
    if (classifyAnswer(answer) === 'service') return true
    const control = controls.find(({ request }) => request.method === answer.request.method)
    if (!absent.includes(answer) || control === undefined) return false
    return classifyAnswer(control) === 'absent' && differs(answer, control)
  })
}

/** Nobody has this route. */
function noRoute(method: string): RequestSpec {
  const path = '/api/no-such-route'
  return { surface: 'openai', method, path, ...(method === 'GET' ? {} : { json: {} }) }
}
