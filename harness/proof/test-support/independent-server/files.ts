import { formOf, wordIn } from './form.ts'
import { type Call, Refusal, sendJson } from './http.ts'
import type { State, StoredFile } from './state.ts'
import { chatFor } from './versions.ts'

/** One file in the part `paper`, which may join a `conversation`. */
export async function storeFile(call: Call, state: State): Promise<void> {
  const form = await formOf(call)
  const paper = form.get('paper')
  if (paper === null || typeof paper === 'string') throw new Refusal(422, 'where is the paper?')
  const conversation = wordIn(form, 'conversation')
  const chat = conversation === undefined ? undefined : chatFor(state, conversation).id
  const number = state.files.length + 1
  const record = {
    id: `f_${crypto.randomUUID().slice(0, 8)}`,
    filename: paper.name,
    content_type: paper.type,
    bucket: 'cellar',
    size: paper.size,
    created_at: new Date().toString(),
  }
  state.files.push({ number, chat, record })
  sendJson(call, 202, [{ receipt: crypto.randomUUID(), kept: record }])
}

const usualLimit = 7
const maxLimit = 12

/** The ids of the files, newest first; the way on is told by number, outside of the list. */
export function listFiles(call: Call, { files }: State): void {
  const { searchParams } = call.url
  const chat = searchParams.get('chat_id')
  const found = newestFirst(files, searchParams.get('search')).filter(
    (file) => chat === null || file.chat === chat,
  )
  const before = Number(searchParams.get('cursor') ?? Number.POSITIVE_INFINITY)
  const limit = Math.min(Number(searchParams.get('limit') ?? usualLimit), maxLimit)
  const rest = found.filter(({ number }) => number < before)
  const page = rest.slice(0, limit)
  const onward = rest.length > limit ? (page.at(-1)?.number ?? null) : null
  sendJson(call, 200, { cellar: page.map(({ record: { id } }) => id), walk: { onward } })
}

/** The names of all that joined the chat, as a bare list. */
export function listFilesOfChat(call: Call, state: State, id: string): void {
  const { files } = state
  chatFor(state, id)
  const found = newestFirst(files, call.url.searchParams.get('search'))
  sendJson(
    call,
    200,
    found
      .filter(({ chat }) => chat === id)
      .map(({ record: { filename } }) => ({ label: filename })),
  )
}

function newestFirst(files: readonly StoredFile[], search: string | null): StoredFile[] {
  const sought = (search ?? '').toLowerCase()
  return files
    .filter(({ record }) => String(record['filename']).toLowerCase().includes(sought))
    .toReversed()
}
