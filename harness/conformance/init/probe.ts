import {
  type Exchange,
  type OperationId,
  operations,
  pathOf,
  sentPath,
} from '../../../contract/index.ts'
import type { AuxiliaryClient } from '../cleanup/auxiliary-client.ts'
import type { WriteJournal } from '../cleanup/journal.ts'
import type { TargetProfile } from '../profile/index.ts'
import { describeShape, statusText } from '../scenario/read.ts'
import { toWord } from '../session/identities.ts'
import type { RequestSpec } from '../session/requests/wire-request.ts'

/** Result of one probe. */
export interface Detected<T> {
  /** Undefined where it could not be told. */
  readonly value: T | undefined
  /** Request and answer, a sentence each. */
  readonly evidence: readonly string[]
}

export interface Models {
  readonly main: string
  readonly aliases: readonly string[]
  /** Undefined where none of the listed ones is known to see. */
  readonly vision: string | undefined
}

/** Context of every probe. */
export interface ProbeContext {
  readonly client: AuxiliaryClient
  readonly journal: WriteJournal
  readonly profile: TargetProfile
  readonly tag: string
  /** Asks for the main model by default. */
  readonly models: Models
}

/** A word that occurs nowhere else. */
export function nonceFor(what: string, { tag }: Pick<ProbeContext, 'tag'>): string {
  return toWord(`${tag}/${what}`)
}

/** Name of something that is created; the tag lets it be deleted. */
export function nameFor(what: string, probing: Pick<ProbeContext, 'tag'>): string {
  return `${nonceFor(what, probing)} ${probing.tag}`
}

export function route(
  id: OperationId,
  chat = '',
): Pick<RequestSpec, 'surface' | 'method' | 'path'> {
  const { surface, method } = operations[id]
  return { surface, method, path: pathOf(id, chat) }
}

/** `POST /api/v3/chat: 201 application/json {id,name}`. */
export function describeProbe(exchange: Exchange, more = ''): string {
  const { request, response } = exchange
  const what = `${request.method} ${sentPath(exchange)}${more === '' ? '' : ` ${more}`}`
  const result =
    response === null ? 'no answer' : `${statusText(exchange)} ${describeShape(exchange)}`
  return `${what}: ${result}${beyond(exchange)}`
}

/** The same with the status alone. */
export function brief(exchange: Exchange, more = ''): string {
  const what = `${exchange.request.method} ${sentPath(exchange)}`
  return `${what}${more === '' ? '' : ` ${more}`}: ${statusText(exchange)}${beyond(exchange)}`
}

/** Describes output of the target beyond a limit of ours. */
function beyond({ ending }: Exchange): string {
  return ending.kind === 'aborted' && ending.limit !== undefined ? `, but it ${ending.limit}` : ''
}

export function unknown(...evidence: readonly string[]): Detected<never> {
  return { value: undefined, evidence }
}
