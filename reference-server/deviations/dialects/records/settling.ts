/** Changes that become visible late; the document promises no time. */
import type { Services } from '../../../services.ts'
import type { Chat } from '../../../store/types.ts'
import { type Json, toObject } from '../../patches/json.ts'
import { onSuccessBody, setFields } from '../../patches/replies.ts'
import { rejectRequests } from '../../patches/requests.ts'
import {
  compose,
  editChatRows,
  editedRows,
  editFileRows,
  mapping,
  noteChatsBefore,
  onModel,
  onStore,
  withSteps,
} from '../../patches/services.ts'
import { dialectTable } from '../../table.ts'

const settlingMs = 250
const lateMs = 800

export const settling = dialectTable({
  'history-settles-late: A step appears in the history 250 ms after its response was created.':
    onStore('history', ({ page }) => ({ page: editedRows(page, settled) })),
  'reasoning-settles-late: Each v3 answer has a reasoning item, which the history shows 800 ms late.':
    {
      // Several turns fill a history whose first page lacks the late rows.
      excludes: ['short-inputs'],
      patch: compose([
        onModel('native', (model, request) =>
          withSteps(model(request), (step) =>
            step.type === 'message' && !request.think
              ? [{ type: 'reasoning', fragments: [], complete: true }, step]
              : [step],
          ),
        ),
        onStore('history', ({ page }) => ({
          page: editedRows(page, (rows) =>
            rows.filter(
              ({ item, createdAt }) => item.type !== 'reasoning' || createdAt < Date.now() - lateMs,
            ),
          ),
        })),
      ]),
    },
  'lists-settle-late: Chats and attachments are listed 250 ms after their creation.': compose([
    editChatRows(settled),
    editFileRows(settled),
  ]),
  'deletion-settles-late: A chat is removed 250 ms after its deletion.': onStore(
    'chats',
    (chats) => ({
      delete: async (owner, id) => {
        const exists = (await chats.find(owner, id)) !== undefined
        setTimeout(() => void chats.delete(owner, id).catch(() => {}), settlingMs).unref()
        return exists
      },
    }),
  ),
  'documents-settle-late: A document is found by searches 250 ms after its upload.': onStore(
    'knowledge',
    ({ documents }) => ({
      documents: async (...base) => settled(await documents(...base)),
    }),
  ),
  'documents-settle-apart: A search under /api/knowledge finds a document 800 ms after its upload.':
    mapping<number>((uploads) => [
      onSuccessBody(['knowledge.addDocument', 'knowledge.plainUpload'], (body) => {
        uploads.set(body['id'], Date.now())
        return body
      }),
      setFields(({ path }) => /^\/api\/knowledge\/.+\/search$/.test(path), {
        result: (rows: readonly Json[]) =>
          rows.filter(({ file_id: id }) => Date.now() - (uploads.get(id) ?? 0) > lateMs),
      }),
    ]),
  'replicas-in-turn: Two replicas take turns of 70 ms; one shows changes of chats and histories, and new chats, after 800 ms.':
    replicasInTurn,
})

const turnMs = 70

/** Reads of the lagging replica, during its turns. A new chat can be used at once, but is read and listed late. */
function replicasInTurn(services: Services): Services {
  const changes = new Map<string, { readonly before: Chat; readonly atMs: number }>()
  const isHidden = (atMs: number) =>
    Date.now() - atMs < lateMs && Math.floor(Date.now() / turnMs) % 2 === 0
  const isShown = ({ createdAt }: Timed) => !isHidden(createdAt)
  const beforeOf = (id: string) => {
    const change = changes.get(id)
    return change !== undefined && isHidden(change.atMs) ? change.before : undefined
  }
  const madeAt = new Map<unknown, number>()
  return compose([
    onSuccessBody('v3.createChat', (chat) => madeAt.set(chat['id'], Date.now()) && chat),
    rejectRequests(
      ['v3.chat', 'v3.history', 'v3.chatAttachments'],
      (_, { params, query }) =>
        isHidden(madeAt.get(params['chat_id'] ?? toObject(query)['chat_id']) ?? 0),
      404,
    ),
    onStore('history', ({ page }) => ({ page: editedRows(page, (rows) => rows.filter(isShown)) })),
    noteChatsBefore((before) => changes.set(before.id, { before, atMs: Date.now() })),
    onStore('chats', ({ find }) => ({
      find: async (owner, id) => {
        const before = beforeOf(id)
        return before?.owner === owner ? before : find(owner, id)
      },
    })),
    editChatRows((rows) => rows.filter(isShown).map((row) => beforeOf(row.id) ?? row)),
  ])(services)
}

interface Timed {
  readonly createdAt: number
}

function isSettled({ createdAt }: Timed): boolean {
  return createdAt < Date.now() - settlingMs
}

function settled<Row extends Timed>(rows: readonly Row[]): readonly Row[] {
  return rows.filter(isSettled)
}
