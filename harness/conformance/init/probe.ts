import { randomUUID } from 'node:crypto'
import {
  answerJson,
  type Exchange,
  isUuid,
  leavesOf,
  type RequirementId,
  requirements,
  type Surface,
  sentPath,
  succeeded,
} from '../../../contract/index.ts'
import type { AuxiliaryClient } from '../cleanup/auxiliary-client.ts'
import type { WriteJournal } from '../cleanup/journal.ts'
import type { TargetProfile } from '../profile/index.ts'
import { surfacesOf } from '../profile/selection.ts'
import { describeShape, statusText } from '../scenario/read.ts'
import { toWord } from '../session/identities.ts'
import { createSupplements, type Members, withMembers } from '../session/requests/supplements.ts'
import { route } from '../session/requests/wire-request.ts'

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

/** The probes that these requirements need, and always the models: every surface takes its ids from them. */
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

export type Generations = ReturnType<typeof createGenerations>

/** Generations of a discovery: learns which fields the target requires beyond those of the document. */
export function createGenerations({ client, profile }: ProbeContext) {
  // Which assistant it is shows later; here it only matters if one is required.
  const anyAssistant = { withoutKnowledge: placeholderId }
  const supplements = createSupplements({ ...profile, assistants: anyAssistant })
  const evidence: string[] = []
  let learned: Members = {}

  return {
    async send(json: Members): Promise<Exchange> {
      const spec = withMembers({ ...route('v3.generate'), json }, learned)
      let answer = await generate(spec.json)
      for (let round = 0; round < maxRounds && !succeeded(answer); round += 1) {
        const more = supplements.namedIn(answer, { ...spec, json: { ...json, ...learned } })
        if (Object.keys(more).length === 0) return answer
        const next = await retryWith(json, more, answer)
        if (next === undefined) return answer
        answer = next
      }
      return answer
    },
    /** The fields without which a generation was refused, as far as they could be detected. */
    required(): Detected<Members> {
      if (Object.keys(learned).length === 0) return unknown(...evidence)
      return { value: learned, evidence }
    },
  }

  function generate(json: unknown): Promise<Exchange> {
    const headers = { 'idempotency-key': randomUUID() }
    return client.send({ ...route('v3.generate'), json, headers })
  }

  /** The response to a request with the fields that the refusal names; undefined if no value is known for them. */
  async function retryWith(
    json: Members,
    more: Members,
    refusal: Exchange,
  ): Promise<Exchange | undefined> {
    const names = Object.keys(more).join(', ')
    evidence.push(`${brief(refusal, `without ${names}`)}, and the refusal names ${names}`)
    const wantsAssistant = more['assistant_id'] === placeholderId
    const candidates = wantsAssistant ? await findAssistants(json, refusal) : [undefined]
    if (candidates.length === 0) evidence.push('No assistant was found; one can be set here')
    let answer: Exchange | undefined
    for (const id of candidates.slice(0, maxCandidates)) {
      const members = { ...learned, ...more, ...(id === undefined ? {} : { assistant_id: id }) }
      answer = await generate({ ...json, ...members })
      if (!succeeded(answer)) continue
      learned = members
      evidence.push(brief(answer, `with ${names}`))
      break
    }
    // Another refusal may name another field.
    if (answer !== undefined && !wantsAssistant) learned = { ...learned, ...more }
    return answer
  }

  /** Ids in the refusal itself, and in probable catalogs of assistants, which the document does not show. */
  async function findAssistants(json: Members, refusal: Exchange): Promise<string[]> {
    const found = uuidsIn(refusal).filter((id) => id !== json['chat_id'])
    for (const path of guesses) {
      if (found.length > 0) break
      const list = await client.send({ surface: 'v3', method: 'GET', path })
      if (succeeded(list)) found.push(...uuidsIn(list))
    }
    return [...new Set(found)]
  }
}

const placeholderId = '00000000-0000-4000-8000-000000000000'
const maxRounds = 3
const maxCandidates = 3
const guesses: readonly string[] = [
  '/api/v3/assistant',
  '/api/v3/assistants',
  '/api/v2/assistant',
  '/api/assistant',
]

/** Lists ids, those under a name for an id first. */
function uuidsIn(exchange: Exchange): string[] {
  const found = leavesOf(answerJson(exchange)).filter(({ value }) => isUuid(value))
  const named = found.filter(({ path }) => /^(id|uuid|assistant_?id)$/i.test(path.at(-1) ?? ''))
  return (named.length > 0 ? named : found).map(({ value }) => String(value))
}
