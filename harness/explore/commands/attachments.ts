import { type RequirementId, succeeded } from '../../../contract/index.ts'
import { poll } from '../../conformance/scenario/poll.ts'
import { answerJson, statusText } from '../../conformance/scenario/read.ts'
import { isConclusive, type ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { expectLimit, isAccepted } from '../checks/common.ts'
import {
  type Commands,
  demand,
  drawChat,
  drawFrom,
  type Operation,
  StateViolation,
} from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import { addFile, chatNamed, type FileState, livingChats, type Model, touchChat } from '../model.ts'

/** Maximum number of uploads in a sequence: no route of the document deletes them. */
const maxFiles = 4

export const attachmentCommands: Commands = {
  upload: {
    weight: 3,
    needs: ['V3-ATT-01'],
    shownBy: [{ command: 'list attachments', variant: 'of chat' }],
    chats: livingChats,
    draw(model, pick) {
      if (model.files.length >= maxFiles) return undefined
      const holding = livingChats(model).filter(({ label }) =>
        model.files.some(({ chat }) => chat === label),
      )
      const chosen = holding.length > 0 && pick(3) > 0 ? holding : livingChats(model)
      return pick(5) === 0 ? {} : (drawChat(chosen, pick) ?? {})
    },
    run: uploadFile,
  },

  'list attachments': {
    weight: 2,
    reads: true,
    needs: ['V3-ATT-01'],
    expects: ['V3-ATT-06', 'V3-ATT-07', 'V3-ATT-08', 'V3-ATT-09', 'V3-ATT-10', 'V3-ATT-12'],
    draw(model, pick) {
      const variant = drawFrom(['all', 'search', 'of chat', 'of chat by id'], pick) ?? 'all'
      const limit = drawFrom([undefined, undefined, 1, 2, 3, 10], pick)
      if (model.files.length === 0) return undefined
      if (!variant.startsWith('of chat')) return { variant, limit }
      const chat = drawFrom(livingChats(model), pick)
      return chat && { variant, chat: chat.label, limit: variant === 'of chat' ? undefined : limit }
    },
    applies: (model, { chat }) =>
      model.files.length > 0 && (chat === undefined || chatNamed(model, chat)?.deleted === false),
    run: (context, operation) =>
      (operation.variant === 'of chat' ? expectChatFiles : expectFiles)(context, operation),
  },
}

async function uploadFile(context: ExplorationContext, { label, chat }: Operation): Promise<void> {
  const { attachments, session, knowledge } = context
  const mark = session.nonce()
  const file = {
    name: `${mark}-${session.context.setup.tag}.txt`,
    type: 'text/plain',
    bytes: new TextEncoder().encode(`Notes of ${mark}.\n`),
  }
  const id = chat === undefined ? undefined : context.handle(chat).id
  const uploaded = context.record(await attachments.upload(file, id))
  const isStored = await isAccepted(context, uploaded, {
    ability: 'upload',
    requirement: 'V3-ATT-01',
    what: 'a further upload',
    // Open: a quota may refuse an upload. A server error is not a quota.
    isOfState: () => (uploaded.response?.status ?? 0) >= 500,
  })
  if (!isStored) return
  knowledge.prove('upload')
  context.model = addFile(context.model, { label, name: file.name, chat })
  if (chat !== undefined) context.model = touchChat(context.model, chat, 'upload')
}

/** Files that must exist: the document leaves open what happens to those of a deleted chat. */
function certainFiles(model: Model): readonly FileState[] {
  return model.files.filter(
    ({ chat }) => chat === undefined || chatNamed(model, chat)?.deleted === false,
  )
}

/** `GET /attachment`: all files of the caller, those of a chat, or one by its name. */
async function expectFiles(
  context: ExplorationContext,
  { variant, chat, limit }: Operation,
): Promise<void> {
  const { attachments, knowledge, session, model } = context
  const all = certainFiles(model)
  const ofChat = variant === 'of chat by id'
  const [first] = all
  if (first === undefined) return
  const query = {
    ...(chat !== undefined && ofChat && { chat_id: context.handle(chat).id }),
    ...(variant === 'search' && { search: first.name }),
    ...(limit !== undefined && { limit }),
  }
  const sought = ofChat
    ? all.filter((file) => file.chat === chat)
    : variant === 'search'
      ? [first]
      : all
  const strangers = ofChat ? model.files.filter((file) => file.chat !== chat) : []
  const walk = await poll(
    session,
    () => attachments.walk(query),
    ({ pagesWith }) => sought.every(({ name }) => pagesWith(name).length > 0),
  )
  for (const page of walk.pages) context.record(page)
  const lastPages = walk.pages.slice(-3)
  const ability = `list attachments ${variant}`
  const names = sought.map(({ name }) => name)
  const missing = sought.filter(({ name }) => walk.pagesWith(name).length === 0)
  if (missing.length === 0 && names.length > 0) knowledge.prove(ability)
  if (missing.length > 0 && knowledge.isAble(ability) && isConclusive(walk, names)) {
    const requirement: RequirementId =
      limit !== undefined ? 'V3-ATT-10' : (rowOfVariant[variant ?? ''] ?? 'V3-ATT-06')
    const why = `the list of attachments (${variant}) lacks ${missing.length} of ${names.length} files`
    throw new StateViolation(requirement, why, lastPages, missing)
  }
  if (ofChat && knowledge.isAble(ability)) {
    const foreign = strangers.filter(({ name }) => walk.pagesWith(name).length > 0)
    if (foreign.length > 0) {
      throw new StateViolation('V3-ATT-07', strangeFile, lastPages, foreign)
    }
  }
  expectLimit(context, walk.pages, limit, {
    ability: 'limit of attachments',
    requirement: 'V3-ATT-09',
    count: (page) => model.files.filter(({ name }) => attachments.lists(page, name)).length,
    describe: (count) => `lists ${count} files of this run`,
  })
}

const strangeFile = 'the attachments of a chat show a file that is not one of them'

const rowOfVariant: Readonly<Record<string, RequirementId>> = {
  search: 'V3-ATT-08',
  'of chat by id': 'V3-ATT-07',
}

/** `GET /chat/{chat_id}/attachments`: the files of the chat, and no others. */
async function expectChatFiles(
  context: ExplorationContext,
  { chat = '' }: Operation,
): Promise<void> {
  const { attachments, chats, knowledge, session, model } = context
  const own = model.files.filter((file) => file.chat === chat)
  const others = model.files.filter((file) => file.chat !== chat)
  const missingIn = (walk: ListWalk) => own.filter(({ name }) => !attachments.lists(walk, name))
  const walk = await poll(
    session,
    () => chats.readAttachments(context.handle(chat).id, {}, { role: 'probe' }),
    (walk) => missingIn(walk).length === 0,
  )
  for (const page of walk.pages) context.record(page)
  const [page] = walk.pages
  const lastPages = walk.pages.slice(-3)
  const ability = 'attachments of chat'
  if (!succeeded(page) || answerJson(page) === undefined) {
    const why = `the attachments of a chat were answered ${statusText(page)}`
    demand(!knowledge.isAble(ability), 'V3-ATT-12', why, page)
    return
  }
  const missing = missingIn(walk)
  if (missing.length === 0 && own.length > 0) knowledge.prove(ability)
  if (!knowledge.isAble(ability)) return
  const foreign = others.filter(({ name }) => attachments.lists(walk, name))
  if (foreign.length > 0) {
    throw new StateViolation('V3-ATT-12', strangeFile, lastPages, foreign)
  }
  if (missing.length === 0 || !walk.isWhole) return
  const why = `the chat lacks ${missing.length} of its ${own.length} files`
  throw new StateViolation('V3-ATT-12', why, lastPages, missing)
}
