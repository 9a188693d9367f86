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
} from '../../../../contract/index.ts'
import type { Shape } from '../../../../fixtures/clients.ts'
import { acceptEncoding, type Outgoing } from '../../../client/index.ts'
import { networkOf } from '../../profile/index.ts'
import type { ClientIdentity } from '../../run-setup.ts'
import { toWord } from '../identities.ts'
import { surfaceCredentials } from '../secrets.ts'
import {
  type FormStyle,
  type ImitatedRequest,
  imitatedForm,
  imitatedHead,
  imitatedJson,
  imitationFor,
  processOf,
  speaksHttp1,
} from './imitation.ts'

export interface Started {
  /** Resolves when the first try has a status line or has ended. */
  readonly answered: Promise<void>
  /** The last try. Rejects with InconclusiveError if the target gave no usable response. */
  readonly exchange: Promise<Exchange>
}

/** Request of a scenario; the run fills in everything else. */
export interface RequestSpec {
  readonly surface: Surface
  readonly method: string
  /** Path in the document, for example `/api/v3/message`; the prefixes of the profile replace its own. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  readonly json?: unknown
  /** Body that is sent unchanged, with its content type; excludes `json`. */
  readonly raw?: { readonly body: Uint8Array; readonly contentType: string }
  readonly headers?: Readonly<Record<string, string>>
  /** Header value in place of the right credential; null sends none. */
  readonly authorization?: string | null
  readonly role?: Role
  readonly repeatOf?: string
  readonly leaveAfterEvents?: number
  /** True if the rate-limit slot was reserved beforehand, for requests that are sent concurrently. */
  readonly inBurst?: boolean
  /** True if a 429 is the response: waiting and retrying would end the race with another request. */
  readonly isLimitJudged?: boolean
}

/** Options of any request of a scenario, in addition to its content. */
export type SendOptions = Pick<
  RequestSpec,
  | 'role'
  | 'authorization'
  | 'headers'
  | 'repeatOf'
  | 'leaveAfterEvents'
  | 'inBurst'
  | 'isLimitJudged'
>

/** The route of an operation; of a chat if its path has one. */
export function route(id: OperationId, chat = '') {
  const { surface, method } = operations[id]
  return { surface, method, path: pathOf(id, chat) }
}

/**
 * A request as sent, and the imitated client, if any.
 * @param place the scenario and the ordinal of the request within it
 */
export function buildWireRequest(
  spec: RequestSpec,
  setup: ClientIdentity,
  place: string,
): Pick<Outgoing, 'request' | 'client' | 'protocol'> {
  const { profile } = setup
  const { url: address, ...route } = destinationOf(profile, spec.path)
  const url = new URL(address)
  for (const [name, value] of Object.entries(spec.query ?? {})) {
    url.searchParams.set(name, String(value))
  }
  const { method, raw, json } = spec
  const own = [...Object.entries(profile.headers), ...Object.entries(spec.headers ?? {})]
  const key = surfaceCredentials(profile)[spec.surface]
  const { authorization = key === undefined ? null : `Bearer ${key}` } = spec
  const [scenario = place] = place.split('/')
  const imitated = imitatedBy(setup, scenario, {
    surface: spec.surface,
    shape: shapeOf(spec),
    isStream: isObject(json) && json['stream'] === true,
    isUnusual: own.length > 0 || authorization === null || raw !== undefined,
    url,
  })
  const text = () => (imitated ? imitatedJson(imitated.client, json) : JSON.stringify(json))
  const body = raw?.body ?? (json === undefined ? null : new TextEncoder().encode(text()))
  const type = raw?.contentType ?? (body === null ? undefined : 'application/json')
  const request = { method, url: url.href, ...route, body }
  if (imitated === undefined) {
    const chosen = own.some(([name]) => name.toLowerCase() === 'accept-encoding')
    const headers: Header[] = [
      // Clients of the compatible surface name no stream.
      ['accept', `application/json${spec.surface === 'openai' ? '' : ', text/event-stream'}`],
      ...(chosen ? [] : [['accept-encoding', acceptEncoding] as const]),
      ['user-agent', `${setup.userAgent} ${setup.tag}/${place}`],
      ['x-request-id', `${setup.tag}/${place}`],
    ]
    if (type) headers.push(['content-type', type])
    if (authorization) headers.push(['authorization', authorization])
    return { request: { ...request, headers: [...headers, ...own] } }
  }
  const { client, attributes, process } = imitated
  const values = { host: url.host, length: body?.length ?? 0, authorization, type }
  const { name, keepsConnections } = client
  return {
    request: { ...request, headers: imitatedHead(client, attributes.shape, values, own) },
    client: { name: `${process} ${name}`, keepsConnections },
    ...(speaksHttp1(client, attributes) ? { protocol: 'http/1.1' } : {}),
  }
}

/** The common client that a scenario imitates, on a connection of one of its processes; undefined with a tag. */
function imitatedBy(
  { profile, imitationSeed: seed }: ClientIdentity,
  scenario: string,
  request: Omit<ImitatedRequest, 'httpVersion'>,
) {
  if (seed === undefined) return undefined
  const attributes = { ...request, httpVersion: networkOf(profile).httpVersion }
  const client = imitationFor(seed, scenario, attributes)
  return { client, attributes, process: processOf(seed, scenario) }
}

/** Form of a scenario's multipart bodies; `text` determines the boundary. */
export function formStyleOf(setup: ClientIdentity, scenario: string, text: string): FormStyle {
  const url = new URL(setup.profile.baseUrl)
  const form = { surface: 'v3', shape: 'form', isStream: false, isUnusual: true, url } as const
  const imitated = imitatedBy(setup, scenario, form)
  return imitated
    ? imitatedForm(imitated.client, text)
    : { boundary: `chatgen-${toWord(text)}`, typesParts: false }
}

function shapeOf({ method, json, raw }: RequestSpec): Shape {
  if (raw?.contentType.startsWith('multipart/')) return 'form'
  if (raw !== undefined || json !== undefined) return 'json'
  return method === 'GET' ? 'get' : method === 'DELETE' ? 'delete' : 'empty'
}
