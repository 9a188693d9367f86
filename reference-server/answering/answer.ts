/** One answer of the model on a native surface, including retrieval (section 4.4). */
import { or404 } from '../http/errors.ts'
import { spoken } from '../model/generation.ts'
import type { BuiltinTool } from '../model/tools/tools.ts'
import type { Generation, SearchStep, Turn } from '../model/types.ts'
import type { Rag } from '../requests/fields.ts'
import { documentText, searchPlan } from '../retrieval/retrieval.ts'
import type { Services } from '../services.ts'
import type { Store } from '../store/sql/store.ts'
import type { Attachment } from '../store/types.ts'
import type { AssistantContext } from './assistant-context.ts'

export interface Ask {
  readonly caller: string
  /** Id or alias of the model. */
  readonly model: string
  /** The conversation, oldest turn first, the question last. */
  readonly turns: readonly Turn[]
  readonly assistant: AssistantContext
  readonly rag: Rag
  readonly think: boolean
  readonly tools: readonly BuiltinTool[]
  readonly maxTokens: number
}

/** Hits with a lower score count as chance if the caller sets no threshold. */
const defaults = { threshold: 0.35, limit: 4 }

/** The beginning of a long question is sufficient for a search. */
const maxQueryLength = 2000

/** @throws ModelOutage when the prompt asks for it */
export async function answer(
  { model, retrieve, store }: Pick<Services, 'model' | 'retrieve' | 'store'>,
  { caller, assistant, rag, model: id, turns, think, tools, maxTokens }: Ask,
): Promise<Generation> {
  const { baseIds, instructions, searchesByItself } = assistant
  const documents = baseIds.map((id) => store.knowledge.documents(caller, id))
  const bases = await Promise.all(documents)
  const plan = searchPlan(typeof rag === 'object' ? rag : {}, defaults)
  const search = (query: string) => retrieve(bases, query, plan)
  const question = turns.findLast(({ role }) => role === 'user')?.text ?? ''
  const query = question.slice(0, maxQueryLength)
  // `true` or an object searches before the answer, `false` and `agent` do not.
  const done: SearchStep[] =
    rag === false || rag === 'agent' || baseIds.length === 0
      ? []
      : [spoken({ type: 'file_search', queries: [query], results: search(query) }, [])]
  const system: Turn[] = instructions === null ? [] : [{ role: 'system', text: instructions }]
  // Digests of recorded requests depend on this order.
  const generation = model({
    model: id,
    turns: [...system, ...turns],
    think,
    tools: tools.map(({ name }) => name),
    toolsRunBy: 'service',
    maxTokens,
    stop: [],
    knowledge: { found: done.flatMap(({ results }) => results), search, searchesByItself },
  })
  return { ...generation, steps: [...done, ...generation.steps] }
}

/** Uploaded files by id. */
export type Files = ReadonlyMap<string, Attachment>

/** @throws ApiError 404 for a file that does not exist or belongs to another caller */
export async function ownFiles(
  attachments: Store['attachments'],
  caller: string,
  ids: Iterable<string>,
  param: string,
): Promise<Files> {
  const files = new Map<string, Attachment>()
  for (const id of new Set(ids)) {
    const file = await attachments.find(caller, id)
    files.set(id, or404(file, `No file ${JSON.stringify(id)}`, 'file_not_found', param))
  }
  return files
}

/** The ids of uploaded files in a content. */
export function fileIds(content: unknown): readonly string[] {
  return mediaParts(content).flatMap(({ file_id }) =>
    typeof file_id === 'string' ? [file_id] : [],
  )
}

/** Turns for attached files, which precede the message. */
export function fileTurns(content: unknown, files: Files): readonly Turn[] {
  return mediaParts(content).map((part) => {
    const uploaded = files.get(String(part['file_id']))
    return uploaded === undefined ? { role: 'user', text: sentAlong(part) } : uploadedTurn(uploaded)
  })
}

export function uploadedTurn({ filename, contentType, size, text }: Attachment): Turn {
  return { role: 'user', text: described(`${filename}, ${contentType}, ${size} bytes`, text) }
}

type MediaPart = Readonly<Record<string, unknown>>

const media = new Set(['input_image', 'input_video', 'input_file', 'input_audio'])

function mediaParts(content: unknown): readonly MediaPart[] {
  return Array.isArray(content)
    ? content.filter((part: MediaPart) => media.has(String(part['type'])))
    : []
}

/** Long enough for any test, short enough to count its tokens. */
const maxExcerptLength = 100_000

function described(what: string, text: string | null | undefined): string {
  return text ? `[${what}]\n${text.slice(0, maxExcerptLength)}` : `[${what}]`
}

/** A file by URL, or its bytes in a data URL or in base64. */
function sentAlong(part: MediaPart): string {
  const kind = String(part['type']).replace('input_', '')
  const given = part['image_url'] ?? part['video_url'] ?? part['file_url'] ?? part['file_data']
  if (typeof given !== 'string') return `[${kind}]`
  if (/^https?:/i.test(given)) return `[${kind}: ${given}]`
  const [head = '', type = ''] = /^data:([^;,]{0,100})[^,]{0,100},/i.exec(given) ?? []
  const bytes = Buffer.from(given.slice(head.length), 'base64')
  const name = typeof part['filename'] === 'string' ? part['filename'] : kind
  return described(
    `${name}, ${type || 'unknown type'}, ${bytes.length} bytes`,
    kind === 'file' ? documentText(bytes) : undefined,
  )
}
