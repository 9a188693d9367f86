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

/** Context of every probe. */
export interface ProbeContext {
  readonly client: AuxiliaryClient
  readonly journal: WriteJournal
  readonly profile: TargetProfile
  readonly tag: string
  /** Requests the main model by default. */
  readonly models: Models
}

/** A word that occurs nowhere else. */
export function nonceFor(what: string, { tag }: Pick<ProbeContext, 'tag'>): string {
  return toWord(`${tag}/${what}`)
}

/** Name of a created resource; the tag allows its deletion. */
export function nameFor(what: string, probing: Pick<ProbeContext, 'tag'>): string {
  return `${nonceFor(what, probing)} ${probing.tag}`
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

/** Probes of a discovery: the surface that each needs, and a phrase for the progress display. */
export const probes = {
  models: { surface: 'openai', what: 'models' },
  deterministic: {
    surface: 'openai',
    what: 'whether the same request gives the same text',
  },
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

/**
 * The probes that these requirements need. Every surface takes its model ids from the catalog of the
 * compatible surface (section 2.1), so the models are always included.
 */
export function probesFor(ids: readonly RequirementId[]): SelectedProbes {
  const surfaces = new Set<Surface>(['openai', ...ids.flatMap(surfacesOf)])
  const needed = new Set<string>([
    'models',
    // The probe of reasoning is also the generation that shows which fields the target requires.
    ...['chat', 'chatCursor', 'reasoning'],
    ...ids.flatMap((id) => requirements[id].capability ?? requirements[id].member ?? []),
  ])
  // Its result guarantees nothing, so it would not be used.
  needed.delete('deterministic')
  const names = probeNames.filter((name) => needed.has(name) && surfaces.has(probes[name].surface))
  return { surfaces: [...surfaces], names: new Set(names) }
}
