import {
  type Exchange,
  type RequirementId,
  requirements,
  type Surface,
  sentPath,
} from '../../../contract/index.ts'
import type { AuxiliaryClient } from '../cleanup/auxiliary-client.ts'
import type { WriteJournal } from '../cleanup/journal.ts'
import type { TargetProfile } from '../profile/index.ts'
import { surfacesOf } from '../profile/selection.ts'
import { describeShape, statusText } from '../scenario/read.ts'
import { toWord } from '../session/identities.ts'

/** Result of one probe. */
export interface Detected<T> {
  /** Undefined if it could not be detected. */
  readonly value: T | undefined
  /** Request and response, one sentence each. */
  readonly evidence: readonly string[]
}

export interface Models {
  readonly main: string
  readonly aliases: readonly string[]
  /** Undefined if none of the listed models is known to accept images. */
  readonly vision: string | undefined
}

export interface ProbeContext {
  readonly client: AuxiliaryClient
  readonly journal: WriteJournal
  readonly profile: TargetProfile
  readonly tag: string
  /** Requests the main model by default. */
  readonly models: Models
}

/** Name of a created resource: a word that occurs nowhere else, and the tag, which allows its deletion. */
export function nameFor(what: string, tag: string): string {
  return `${toWord(`${tag}/${what}`)} ${tag}`
}

/** `POST /api/v3/chat: 201 application/json {id,name}`. */
export function describeProbe(exchange: Exchange, more = ''): string {
  return brief(exchange, more, exchange.response === null ? '' : ` ${describeShape(exchange)}`)
}

/** The same with the status alone. */
export function brief(exchange: Exchange, more = '', shape = ''): string {
  const { request, ending } = exchange
  const what = `${request.method} ${sentPath(exchange)}${more === '' ? '' : ` ${more}`}`
  const excess = ending.kind === 'aborted' && ending.limit ? `, but it ${ending.limit}` : ''
  return `${what}: ${statusText(exchange)}${shape}${excess}`
}

export function unknown(...evidence: readonly string[]): Detected<never> {
  return { value: undefined, evidence }
}

/** Probes of a discovery: the surface that each needs, and a phrase for the progress display. */
export const probes = {
  models: { surface: 'openai', what: 'models' },
  chat: { surface: 'v3', what: 'a chat' },
  chatCursor: { surface: 'v3', what: 'the pages of lists' },
  reasoning: { surface: 'v3', what: 'reasoning' },
  images: { surface: 'v3', what: 'images' },
  attachments: { surface: 'v3', what: 'attachments' },
  knowledge: { surface: 'v3', what: 'knowledge bases' },
  v2Chat: { surface: 'v2', what: 'how v2 chats are created' },
} as const satisfies Record<string, { readonly surface: Surface; readonly what: string }>

export type ProbeName = keyof typeof probes

export const probeNames = Object.keys(probes) as ProbeName[]

export interface SelectedProbes {
  readonly surfaces: readonly Surface[]
  readonly names: ReadonlySet<ProbeName>
}

/** The probes that these requirements need, and always the models: every surface takes its ids from them. */
export function probesFor(ids: readonly RequirementId[]): SelectedProbes {
  const surfaces = new Set<Surface>(['openai', ...ids.flatMap(surfacesOf)])
  const needed = new Set<string>([
    'models',
    // The probe of reasoning is also the generation that shows which fields the target requires.
    ...['chat', 'chatCursor', 'reasoning'],
    ...ids.flatMap((id) => requirements[id].capability ?? requirements[id].member ?? []),
  ])
  const names = probeNames.filter((name) => needed.has(name) && surfaces.has(probes[name].surface))
  return { surfaces: [...surfaces], names: new Set(names) }
}
