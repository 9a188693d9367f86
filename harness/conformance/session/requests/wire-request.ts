import {
  destinationOf,
  type Exchange,
  type Header,
  isObject,
  type OperationId,
  operations,
  pathOf,
  type Role,
  type Surface,
  type WireRequest,
} from '../../../../contract/index.ts'
import type { Shape } from '../../../../fixtures/clients.ts'
import { acceptEncoding, type Outgoing } from '../../../client/index.ts'
import { networkOf } from '../../profile/index.ts'
import type { ClientIdentity } from '../../run-setup.ts'
import { toWord } from '../identities.ts'
import { surfaceCredentials } from '../secrets.ts'
import {
  type FormStyle,
  imitatedForm,
  imitatedHead,
  imitatedJson,
  imitationFor,
  processOf,
  speaksHttp1,
} from './imitation.ts'

/** Request of a scenario; the run fills in everything else. */
export interface Started {
  /** Resolves when the first try has a status line or has ended. */
  readonly answered: Promise<void>
  /** The last try. Rejects with InconclusiveError if the target gave no usable response. */
  readonly exchange: Promise<Exchange>
}

export interface RequestSpec {
  readonly surface: Surface
  readonly method: string
  /** Path in the document, for example `/api/v3/message`; the prefixes of the profile replace its own. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
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
}

/** Options of any request of a scenario, in addition to its content. */
export type SendOptions = Pick<
  RequestSpec,
  'role' | 'authorization' | 'headers' | 'repeatOf' | 'leaveAfterEvents' | 'inBurst'
>

/** The route of an operation; of a chat if its path has one. */
export function route(
  id: OperationId,
  chat = '',
): Pick<RequestSpec, 'surface' | 'method' | 'path'> {
  const { surface, method } = operations[id]
  return { surface, method, path: pathOf(id, chat) }
}

/** A request as sent, and the imitated client, if any. */
export interface Addressed extends Pick<Outgoing, 'request' | 'client' | 'protocol'> {}

/** `place` names the scenario and the ordinal of the request within it. */
export function buildWireRequest(
  spec: RequestSpec,
  setup: ClientIdentity,
  place: string,
): Addressed {
  const { profile, imitationSeed } = setup
  const { url: address, ...route } = destinationOf(profile, spec.path)
  const url = new URL(address)
  for (const [name, value] of Object.entries(spec.query ?? {})) {
    url.searchParams.set(name, String(value))
  }
  const own = [...Object.entries(profile.headers), ...Object.entries(spec.headers ?? {})]
  if (imitationSeed !== undefined) {
    return imitated(spec, setup, { url, route, own, seed: imitationSeed, place })
  }
  const body =
    spec.raw?.body ?? (spec.json === undefined ? null : encode(JSON.stringify(spec.json)))
  const contentType = spec.raw?.contentType ?? (body ? 'application/json' : undefined)
  const authorization = authorizationOf(spec, setup)
  const chosen = own.some(([name]) => name.toLowerCase() === 'accept-encoding')
  const headers: Header[] = [
    ['accept', 'application/json, text/event-stream'],
    ...(chosen ? [] : [['accept-encoding', acceptEncoding] as const]),
    ['user-agent', `${setup.userAgent} ${setup.tag}/${place}`],
    ['x-request-id', `${setup.tag}/${place}`],
  ]
  if (contentType) headers.push(['content-type', contentType])
  if (authorization) headers.push(['authorization', authorization])
  return {
    request: { method: spec.method, url: url.href, ...route, headers: [...headers, ...own], body },
  }
}

interface Imitated {
  readonly url: URL
  readonly route: Pick<WireRequest, 'documentedPath'>
  readonly own: readonly Header[]
  readonly seed: string
  readonly place: string
}

/** The request as a common client sends it, on a connection of one of its processes. */
function imitated(
  spec: RequestSpec,
  setup: ClientIdentity,
  { url, route, own, seed, place }: Imitated,
): Addressed {
  const [scenario = place] = place.split('/')
  const { method, raw, json } = spec
  const authorization = authorizationOf(spec, setup)
  const shape = shapeOf(spec)
  const attributes = {
    surface: spec.surface,
    shape,
    isStream: isObject(json) && json['stream'] === true,
    isUnusual: own.length > 0 || authorization === null || raw !== undefined,
    url,
    httpVersion: networkOf(setup.profile).httpVersion,
  }
  const client = imitationFor(seed, scenario, attributes)
  const body = raw?.body ?? (json === undefined ? null : encode(imitatedJson(client, json)))
  const type = raw?.contentType ?? (body === null ? undefined : 'application/json')
  const values = {
    host: url.host,
    length: body?.length ?? 0,
    authorization,
    type,
  }
  const { keepsConnections } = client
  return {
    request: {
      method,
      url: url.href,
      ...route,
      headers: imitatedHead(client, shape, values, own),
      body,
    },
    client: { name: `${processOf(seed, scenario)} ${client.name}`, keepsConnections },
    ...(speaksHttp1(client, attributes) ? { protocol: 'http/1.1' } : {}),
  }
}

/** Form of a scenario's multipart bodies; `text` determines the boundary. */
export function formStyleOf(setup: ClientIdentity, scenario: string, text: string): FormStyle {
  const { profile, imitationSeed } = setup
  if (imitationSeed === undefined) return { boundary: `chatgen-${toWord(text)}`, typesParts: false }
  const client = imitationFor(imitationSeed, scenario, {
    surface: 'v3',
    shape: 'form',
    isStream: false,
    isUnusual: true,
    url: new URL(profile.baseUrl),
    httpVersion: networkOf(profile).httpVersion,
  })
  return imitatedForm(client, text)
}

function shapeOf({ method, json, raw }: RequestSpec): Shape {
  if (raw?.contentType.startsWith('multipart/')) return 'form'
  if (raw !== undefined || json !== undefined) return 'json'
  return method === 'GET' ? 'get' : method === 'DELETE' ? 'delete' : 'empty'
}

function authorizationOf(spec: RequestSpec, { profile }: ClientIdentity): string | null {
  if (spec.authorization !== undefined) return spec.authorization
  const key = surfaceCredentials(profile)[spec.surface]
  return key === undefined ? null : `Bearer ${key}`
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
