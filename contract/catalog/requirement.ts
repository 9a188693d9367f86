/** Shape of a requirement in the catalog; see `Level` for the levels. */

/** Parts of the service, each with its own paths. */
export const surfaces = ['openai', 'v2', 'v3'] as const
export type Surface = (typeof surfaces)[number]

/** Names of selections: a surface, the requirements of the common wire format, or all. */
export const profileNames = [...surfaces, 'wire', 'full'] as const
export type ProfileName = (typeof profileNames)[number]

/** `wire`: the common chat-completions format, of any server that implements it; `service`: the interface document. */
export type Source = 'wire' | 'service'

/** Severity: `required` by the interface document (fails), `expected` by the contract that it names (warns). */
export type Level = 'required' | 'expected'

/** Optional features: a profile declares each as true or false (not applicable), or omits it (unproven). */
export const capabilities = [
  'reasoning',
  'images',
  'video',
  'attachments',
  'knowledge',
  'rag',
] as const
export type Capability = (typeof capabilities)[number]

export interface Requirement {
  readonly level: Level
  readonly surface: Surface
  /** Second surface that the requirement covers. */
  readonly also?: Surface
  /** Absent: `wire` on the compatible surface, `service` elsewhere. */
  readonly source?: Source
  /** Section of the interface document, for example `4.3`. */
  readonly section: string
  /** The sentence in our own words. */
  readonly title: string
  /** Optional feature without which the requirement does not apply. */
  readonly capability?: Capability
  /** Field of the target profile without which the requirement cannot be tested. */
  readonly member?: string
  /** Requirements that this one depends on: if one of them is broken, this one is inconclusive. */
  readonly needs?: readonly string[]
  /** Rule of docs/internals/wire-contract.md (R1 to R25, C1 to C11) that this one restates. */
  readonly contract?: string
  /** Usual cause of a violation and its fix, in one sentence; by default that of the area. */
  readonly hint?: string
}

/** Members that requirements of a list share, unless one has its own. */
type Shared = Pick<Requirement, 'section'> & Partial<Requirement>

/**
 * A sentence, and its hint. Before the sentence is its section, if it is not that of the list; after it are its rule of
 * the contract, further members and its needs, as in `2.6 The output MUST be an array. (R7, member tools, needs V3-GEN-01)`.
 */
type Entry = string | readonly [string, hint: string]

const form =
  /^(?:(\d(?:\.\d)?) )?(.+?)(?: \(((?:[RC]\d|(?:also|source|capability|member|needs) )[^)]*)\))?$/

/** Reads a list of requirements: the level follows from MUST or SHOULD in the title, the surface from the id. */
export function rules(shared: Shared) {
  return <Id extends string>(
    entries: Readonly<Record<Id, Entry>>,
  ): Readonly<Record<Id, Requirement>> => {
    const all = Object.entries<Entry>(entries).map(([id, entry]) => {
      const [sentence = '', hint] = [entry].flat()
      const [, section = shared.section, title = '', members] = form.exec(sentence) ?? []
      const level = /\bMUST\b/.test(title) ? 'required' : 'expected'
      const surface = id.startsWith('OAI-') ? 'openai' : id.startsWith('V2-') ? 'v2' : 'v3'
      const own = { ...(hint && { hint }), ...membersIn(members), section, title }
      return [id, { level, surface, ...shared, ...own }]
    })
    return Object.fromEntries(all)
  }
}

function membersIn(text = ''): Readonly<Record<string, unknown>> {
  const [marks = '', needs] = text.split(/(?:^|, )needs /)
  const members = marks
    .split(', ')
    .filter(Boolean)
    .map((mark) => (mark.includes(' ') ? mark.split(' ') : ['contract', mark]))
  return { ...Object.fromEntries(members), ...(needs && { needs: needs.split(', ') }) }
}

/** A sentence that cannot be tested over HTTP. */
export interface Exclusion {
  readonly section: string
  readonly title: string
  readonly reason: string
}

/** A point that the document leaves open ("not shown"): never judged, only observed. */
export interface OpenQuestion {
  readonly section: string
  readonly surface: Surface
  readonly question: string
}

/** Usual causes of violations, each with its fix, for several requirements; one sentence each. */

const noKeyCheck =
  'The route runs before the authentication middleware, or the middleware lets unknown credentials pass; reject the request before any handler runs.'
export const prefixCompare =
  'Keys are compared with startsWith, or only up to the length of the shorter one; compare whole keys, in constant time.'
export const otherScheme =
  'The scheme of the Authorization header is not checked; accept Bearer only and treat any other scheme as a missing key.'
export const bearer =
  'The key is expected in another header, or the scheme is compared case-sensitively; accept Authorization: Bearer.'
export const authError =
  'The error path of authentication throws; answer 401 or 403 with a body instead of letting the exception become a 5xx.'
export const wrongType =
  'Input is converted or used without validation; validate the JSON type of every field and answer with a 4xx.'
export const fiveHundred =
  'An exception for invalid input is not caught; validate the request first and answer with a 4xx.'
export const buffering =
  'The server or a proxy buffers the response; flush after every event and disable response buffering (nginx: proxy_buffering off).'
export const cursor =
  'The cursor is ignored, is an offset, or is ambiguous among equal sort keys; use keyset pagination by a unique, stable key.'
export const memory =
  'Earlier messages are not part of the prompt; build the prompt from the whole chain of the chat.'
export const leak = 'A cache or a session is shared between chats; key all state by chat id.'
const twiceStep =
  'The Idempotency-Key is not stored, or only after the run has ended; store key and run atomically before the generation starts, and answer a repeat from it.'
export const chunks =
  'The server writes its own event shape, or a gateway rewrites the chunks; send chat.completion.chunk objects as data: lines.'
export const sameResponse =
  'The stream and the JSON body are built by separate code; build both from one response object.'
export const eventOrder =
  'Events are sent as the model produces them, without the events that enclose them; emit the added event before the first delta and the done events after the last.'
export const indexes =
  'Indexes are omitted when they are 0, or counted over the whole stream; always send them, counted within their parent.'
export const usage =
  'Token counts come from several places; compute total from the counts that are sent.'
const versionCheck =
  'The handler does not check the version of the chat; compare it first and answer with an error that names the other prefix.'

/** Hints of areas, for requirements that have none of their own. */
export const areaHints: Readonly<Record<string, string>> = {
  'OAI-AUTH': noKeyCheck,
  'V2-AUTH': noKeyCheck,
  'V3-AUTH': noKeyCheck,
  'OAI-CHAT':
    'A member of the completion is missing or has another type; compare the body in the evidence with section 2.2.',
  'OAI-STOP':
    'stop is not passed to the model, or only in one of its two forms; pass it on and cut the text at the first sequence.',
  'OAI-MODELS': 'The list and the router use separate tables; serve both from one model catalog.',
  'V2-MODEL': 'The router does not know an alias; resolve ids and aliases from one model catalog.',
  'V3-MODEL': 'The router does not know an alias; resolve ids and aliases from one model catalog.',
  'OAI-STREAM': chunks,
  'OAI-TOOL': 'tools are dropped or the calls are rewritten by a gateway; pass both on unchanged.',
  'OAI-FORMAT': 'response_format is ignored; pass it to the model, or reject the request.',
  'OAI-N': 'n is ignored; return n choices, or reject the request.',
  'V2-RAG': 'The modes of rag are not distinguished; search before the answer only if it is true.',
  RAG: 'The modes of rag are not distinguished; search before the answer only if it is true or an object.',
  'V3-TOOLS':
    'The tool lists are applied to the prompt only; filter the tools that the model may call.',
  'V3-IDEM': twiceStep,
  'V3-SSE': eventOrder,
  VER: versionCheck,
}
