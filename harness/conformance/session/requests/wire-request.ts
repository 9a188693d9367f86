import {
  destinationOf,
  type Exchange,
  type Header,
  type Role,
  type Surface,
  type WireRequest,
} from '../../../../contract/index.ts'
import { acceptEncoding } from '../../../client/index.ts'
import type { ClientIdentity } from '../../run-setup.ts'
import { toUserAgent, toUuid } from '../identities.ts'
import { surfaceCredentials } from '../secrets.ts'

/** Request of a scenario; the run fills in everything else. */
export interface Started {
  /** Resolves when the first try has a status line or has ended. */
  readonly answered: Promise<void>
  /** The last try. Rejects with InconclusiveError if the target gave no usable answer. */
  readonly exchange: Promise<Exchange>
}

export interface RequestSpec {
  readonly surface: Surface
  readonly method: string
  /** Path in the document, for example `/api/v3/message`; the prefixes of the profile replace its own. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is, with its content type; excludes `json`. */
  readonly raw?: { readonly body: Uint8Array; readonly contentType: string }
  readonly headers?: Readonly<Record<string, string>>
  /** Header value in place of the right credential; null sends none. */
  readonly authorization?: string | null
  readonly role?: Role
  readonly repeatOf?: string
  readonly leaveAfterEvents?: number
  /** True if the slot of the rate limit was taken beforehand, with those of requests sent at once. */
  readonly inBurst?: boolean
  /**
   * Goes over HTTP/1.1 though the target chose HTTP/2, to be compared: neither its answer nor its
   * failure is judged.
   */
  readonly protocol?: 'http/1.1'
}

/** `place` names the scenario and the ordinal of the request within it. */
export function buildWireRequest(
  spec: RequestSpec,
  setup: ClientIdentity,
  place: string,
): WireRequest {
  const { profile } = setup
  const { url: address, ...route } = destinationOf(profile, spec.path)
  const url = new URL(address)
  for (const [name, value] of Object.entries(spec.query ?? {})) {
    url.searchParams.set(name, String(value))
  }
  const body = spec.raw?.body ?? (spec.json === undefined ? null : encode(spec.json))
  const contentType = spec.raw?.contentType ?? (body ? 'application/json' : undefined)
  const authorization = authorizationOf(spec, setup)
  const headers: Header[] = [
    ['accept', 'application/json, text/event-stream'],
    ['accept-encoding', acceptEncoding],
    ...identityHeaders(setup, place),
  ]
  if (contentType) headers.push(['content-type', contentType])
  if (authorization) headers.push(['authorization', authorization])
  const own = [...Object.entries(profile.headers), ...Object.entries(spec.headers ?? {})]
  const chosen = own.some(([name]) => name.toLowerCase() === 'accept-encoding')
  return {
    method: spec.method,
    url: url.href,
    ...route,
    headers: [...headers.filter(([name]) => !(chosen && name === 'accept-encoding')), ...own],
    body,
  }
}

/**
 * User-Agent and X-Request-Id: those of the run and its scenario or, without a tag, those of any client;
 * each scenario has one of its own.
 */
function identityHeaders(setup: ClientIdentity, place: string): Header[] {
  const { userAgent, tag, requestIdSeed } = setup
  if (requestIdSeed !== undefined) {
    return [
      ['user-agent', toUserAgent(`${requestIdSeed}/${scenarioOf(place)}`)],
      // Not the UUIDs of the scenario: a server may take this id for a missing Idempotency-Key.
      ['x-request-id', toUuid(`${requestIdSeed}/request/${place}`)],
    ]
  }
  return [
    ['user-agent', `${userAgent} ${tag}/${place}`],
    ['x-request-id', `${tag}/${place}`],
  ]
}

function scenarioOf(place: string): string {
  return place.split('/')[0] ?? place
}

function authorizationOf(spec: RequestSpec, { profile }: ClientIdentity): string | null {
  if (spec.authorization !== undefined) return spec.authorization
  const key = surfaceCredentials(profile)[spec.surface]
  return key === undefined ? null : `Bearer ${key}`
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
