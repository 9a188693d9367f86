/** Images, videos and files of a message, as turns for the model. */
import { found } from '../http/errors.ts'
import type { Turn } from '../model/types.ts'
import { documentText } from '../retrieval/document-text.ts'
import type { Store } from '../store/sql/store.ts'
import type { Attachment } from '../store/types.ts'

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
    files.set(id, found(file, `No file ${JSON.stringify(id)}`, 'file_not_found', param))
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
