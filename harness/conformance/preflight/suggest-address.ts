import {
  bodyJson,
  bodyText,
  documentedPrefixes,
  type Exchange,
  header,
  operations,
  urlOf,
} from '../../../contract/index.ts'
import { createAuxiliaryClient } from '../cleanup/auxiliary-client.ts'
import { suiteVersion } from '../defaults.ts'
import type { TargetProfile } from '../profile/index.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { classifyAnswer, misdirected } from './classify-answer.ts'
import { modelIdsIn } from './models.ts'

/** Maximum duration of a response, as a multiple of the longest silence of the target. */
const maxTimeouts = 2

/** The requests of a preflight, one try each, within the time of a run. */
export function openProbes(setup: ClientIdentity, signal: AbortSignal | undefined) {
  const { runMs, timeoutMs } = setup.profile.limits
  const endsAt = Math.ceil(performance.now() + runMs)
  return createAuxiliaryClient(setup, {
    purpose: 'preflight',
    tries: 1,
    answerMs: () =>
      Math.max(0, Math.min(timeoutMs * maxTimeouts, endsAt - Math.ceil(performance.now()))),
    signal,
  })
}

/** The base address that a redirect of one of our routes leads to; undefined for other redirects. */
function baseOfRedirect(exchange: Exchange, baseUrl: string): string | undefined {
  const location = header(exchange.response?.headers ?? [], 'location')
  const { url } = exchange.request
  if (location === undefined || !URL.canParse(location, url)) return undefined
  const target = new URL(location, url)
  const route = new URL(url).pathname.slice(new URL(baseUrl).pathname.replace(/\/+$/, '').length)
  const path = target.pathname.replace(/\/+$/, '')
  if (!/^https?:$/.test(target.protocol) || !path.endsWith(route)) return undefined
  target.pathname = path.slice(0, -route.length)
  target.search = ''
  target.hash = ''
  const base = withoutSlash(target)
  return base === withoutSlash(new URL(baseUrl)) ? undefined : base
}

/** Tests if a server reports plain HTTP on its TLS port. */
function wantsTls(exchange: Exchange): boolean {
  if (exchange.response?.status !== 400) return false
  const hint = /plain http request was sent to https port|client sent an http request to an https/i
  return hint.test(bodyText(exchange))
}

function withoutSlash(url: URL): string {
  return url.href.replace(/\/+$/, '')
}

/**
 * Advice on the address, in a sentence, by what the responses show. A redirect is reported but not followed, so
 * that the target cannot obtain the key for another address.
 */
export function suggestAddress(baseUrl: string, answers: readonly Exchange[]): string {
  const redirected = answers.map((answer) => baseOfRedirect(answer, baseUrl)).find(Boolean)
  if (redirected !== undefined) return `It redirects elsewhere. Did you mean ${redirected}?`
  if (baseUrl.startsWith('http:') && answers.some(wantsTls)) {
    return `It uses TLS. Did you mean ${baseUrl.replace(/^http:/, 'https:')}?`
  }
  const statuses = answers.map(({ response }) => response?.status ?? 0)
  const url = new URL(baseUrl)
  if (statuses.every((status) => status === misdirected)) {
    return `The server does not know this host name, ${url.host}: check the name in the address, or the virtual hosts of the proxy.`
  }
  if (statuses.every((status) => status >= 500)) {
    return 'The server fails on every route: check its log and the service behind the gateway.'
  }
  const base = 'The base address is the URL below which /api/openai, /api/v2 and /api/v3 are'
  const [, above] = /^(.*?)\/api(?:\/|$)/.exec(url.pathname) ?? []
  return above === undefined
    ? `${base}, without /api.`
    : `${base}. This address contains /api; pass it without /api: ${url.origin}${above}`
}

/** Prefixes of servers with a compatible surface; the empty one is the given address itself. */
const foreignPrefixes = ['/v1', '/openai/v1', ''] as const

/**
 * Finds the compatible surface of a target of which only the address is known. Up to four requests for its
 * list of models, none of which mentions this package.
 * @returns the prefix, undefined if it is that of the document or none is found; and the requests that it took
 */
export async function locateCompatible(
  profile: TargetProfile,
  signal?: AbortSignal,
): Promise<{ readonly prefix: string | undefined; readonly requests: number }> {
  const identity = { profile, tag: '', userAgent: '', imitationSeed: suiteVersion() }
  const client = openProbes(identity, signal)
  // The base of an address within the service is above it, and proposed by the preflight.
  const isWithin = /\/api(\/(openai|v2|v3|knowledge))?$/.test(new URL(profile.baseUrl).pathname)
  const list = (openai: string) =>
    client.send(operations['openai.models'], { prefixes: { openai } })
  const located = (prefix?: string) => ({ prefix, requests: client.requests })
  try {
    const first = await list(documentedPrefixes.openai)
    if (classifyAnswer(first) !== 'absent') return located()
    for (const prefix of foreignPrefixes) {
      if (prefix === '' && isWithin) continue
      if (isCompatible(await list(prefix))) return located(prefix)
    }
    return located()
  } finally {
    await client.close()
  }
}

/** The sentence that reports the result to the user. */
export function locatedText(profile: TargetProfile): string {
  const { openai = '' } = profile.prefixes ?? {}
  return `the compatible surface is at ${urlOf(profile, documentedPrefixes.openai)} (--prefix openai=${openai === '' ? '/' : openai}); --profile wire checks only what the common wire format requires`
}

function isCompatible(answer: Exchange): boolean {
  const kind = classifyAnswer(answer)
  if (kind === 'refused') return true
  return (
    kind === 'service' && answer.response?.status === 200 && modelIdsIn(bodyJson(answer)).length > 0
  )
}
