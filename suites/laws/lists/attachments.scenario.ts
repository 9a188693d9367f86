import type { RequirementId } from '../../../contract/index.ts'
import {
  assume,
  type Chat,
  coversAtDepth,
  describe,
  describeRow,
  expect,
  expectAccepted,
  isConclusive,
  isObject,
  type ListWalk,
  plain,
  requirementsOf,
  type Scenario,
  statusText,
  succeeded,
  test,
  whyUnread,
} from '../../../harness/conformance/scenario/index.ts'
import type { Caller } from '../../support/credentials.ts'
import { claimSteady } from '../../support/refusals.ts'
import {
  buildTextFile,
  claimRecord,
  oddContents,
  type UploadFile,
} from '../../support/test-data.ts'
import { callerOf, doBefore } from '../conditions/edits.ts'
import type { Body, Trial } from '../conditions/plan.ts'
import { claimLists } from './list-laws.ts'
import { cap, editsFor, membersOf, rowsAt } from './members.ts'

type Files = Awaited<ReturnType<typeof filesOf>>

/** Sections 2.4 and 4.3: the laws of a list of files hold for any search and caller, and after any change. */
describe('v3: laws of files', () => {
  test(
    'the lists of attachments MUST show each file once under every condition',
    coversAtDepth(
      [...requirementsOf('V3-ATT'), 'V3-AUTH-05', 'V3-CHAT-11'],
      (rows, depth) => ({ requests: 14 * rowsAt({ depth, rows }) + 115, uploads: 30, chats: 3 }),
      { isLong: true },
    ),
    async (scenario) => {
      const files = await filesOf(scenario)
      claimSteady(scenario.session, 'v3.upload', 'V3-ATT-01')
      for (const caller of files.members.callers) {
        const chat = files.chatOf(caller)
        if (chat) await doBefore(scenario, chat.id, 'rename', caller)
      }
      await claimFilesOfCaller(scenario, files)
      if (files.isJoined) return claimFilesOfChat(scenario, files)
      const noJoin = 'the upload did not join the chat: set requests.upload.chatField'
      const ofChats = ['V3-ATT-07', 'V3-ATT-12', 'V3-ATT-13'] as const
      scenario.session.markUndecided('inconclusive', ofChats, noJoin)
    },
  )
})

async function filesOf(scenario: Scenario) {
  const { v3, chats, attachments, claim, session, profile } = scenario
  const [places, refused] = [new Map<string | undefined, Chat>(), new Set<string>()]
  /** Names of files of another chat, and of none. */
  const elsewhere: string[] = []
  const other = await v3.createChat()
  const uploadElsewhere = async (file: UploadFile, chat?: string) => {
    const uploaded = await attachments.upload(file, chat, { role: 'arrange' })
    if (succeeded(uploaded)) elsewhere.push(file.name)
  }
  const members = await membersOf(scenario, async (word, kind, caller) => {
    // Between the files of the chat, so that small pages meet it in either order.
    if (kind === 'beyond the BMP' && caller.authorization === undefined)
      await uploadElsewhere(buildTextFile(session), other.id)
    const chat = places.get(caller.authorization) ?? (await v3.createChat(caller))
    places.set(caller.authorization, chat)
    const names: string[] = []
    for (const [content, change] of Object.entries(oddContents)) {
      const more = `-${names.length}${caller.authorization === undefined ? 1 : 2}`
      const plainFile = buildTextFile(session, word, more)
      const upload = (one: typeof plainFile) =>
        attachments.upload(one, chat.id, { role: 'arrange', ...caller })
      const odd = change(plainFile)
      const first = refused.has(content) ? undefined : await upload(odd)
      // Open: which contents and names are refused.
      if (first && !succeeded(first)) refused.add(content)
      const [file, uploaded] =
        first && !refused.has(content) ? [odd, first] : [plainFile, await upload(plainFile)]
      if (!succeeded(uploaded) && kind !== 'word') break
      assume(succeeded(uploaded), `an upload was refused with ${statusText(uploaded)}`, uploaded)
      const record = attachments.recordIn(uploaded, file.name)
      if (isObject(record)) claimRecord(claim, record, file, uploaded)
      names.push(file.name)
    }
    return names
  })
  for (const chat of [other.id, undefined])
    await uploadElsewhere(
      buildTextFile(session, members.words.word, `-other${elsewhere.length}`),
      chat,
    )
  const chatOf = ({ authorization }: Caller) => places.get(authorization)
  const own = chatOf({})
  const [name = ''] = members.of({})
  // The field that names the chat is a guess unless the profile says it.
  let isJoined = profile.requests.upload?.chatField !== undefined
  if (!isJoined && own !== undefined) {
    const list = await chats.poll(
      () => chats.readAttachments(own.id),
      (_, page) => attachments.lists(page, name),
    )
    isJoined = attachments.lists(list, name)
  }
  return { members, elsewhere, chatOf, isJoined }
}

async function claimFilesOfCaller(scenario: Scenario, files: Files): Promise<void> {
  const { chats, attachments, claim, session, profile } = scenario
  const { members, chatOf } = files
  const { caller, ...edits } = editsFor(members)
  const [, second = {}] = members.callers
  await claimLists(scenario, members, {
    operation: 'v3.attachments',
    edits: {
      ...edits,
      chat_id: { given: files.isJoined ? inChat(chatOf({})) : undefined },
      caller: {
        second:
          caller.second &&
          ((query) => ('chat_id' in query ? inChat(chatOf(second))(query) : query)),
      },
    },
    always: [{ chat_id: 'given' }],
    alike: files.elsewhere.filter((name) => name.startsWith(members.words.word)),
    requirements: {
      listed: 'V3-ATT-06',
      found: 'V3-ATT-08',
      limited: 'V3-ATT-09',
      paged: 'V3-ATT-10',
    },
    list: (query, options) => attachments.list(query, { role: 'act', ...options }),
    read: (query, names, options) =>
      chats.poll(
        () => attachments.walk(query, { role: 'probe', ...options }, cap(query)),
        (_, list) => names.every((name) => list.pagesWith(name).length > 0),
      ),
    shows: attachments.lists,
    also(trial, walk) {
      const { row, body } = trial
      const isOfChat = body['chat_id'] !== undefined
      const ofChat = isOfChat ? 'V3-ATT-07' : undefined
      claimNoneForeign(scenario, files, trial, walk, { ofChat, sought: 'V3-ATT-08' })
      if (!isOfChat || row['search'] !== plain || row['limit'] !== plain) return
      const names = members.of(callerOf(profile, row))
      const missing = names.filter((name) => walk.pagesWith(name).length === 0)
      if (missing.length > 0 && !isConclusive(walk, names))
        return session.markUndecided('inconclusive', ['V3-ATT-07'], whyUnread(walk.pages))
      const what = `files of the chat that the list does not show (${describeRow(row)})`
      claim('V3-ATT-07', () => expect(missing, what).toEqual([]), walk)
    },
  })
  const own = chatOf({})
  if (!files.isJoined || own === undefined) return
  // No row need have several pages of a chat.
  const walk = await attachments.walk({ chat_id: own.id, limit: 2 }, { role: 'probe' }, maxRows)
  if (!succeeded(walk.pages[0])) return
  const foreign = files.elsewhere.filter((name) => walk.pagesWith(name).length > 0)
  const what = 'files of another chat or of none, on the pages of a chat'
  claim('V3-ATT-07', () => expect(foreign, what).toEqual([]), walk)
}

/** More than the files of a chat, and what others may upload between them. */
const maxRows = 20

async function claimFilesOfChat(scenario: Scenario, files: Files): Promise<void> {
  const { chats, attachments, claim, profile } = scenario
  const { members, chatOf } = files
  const idOf = (caller: Caller) => chatOf(caller)?.id ?? ''
  await claimLists(scenario, members, {
    operation: 'v3.chatAttachments',
    edits: editsFor(members),
    requirements: {
      listed: 'V3-ATT-12',
      found: 'V3-ATT-13',
      limited: 'V3-ATT-12',
      paged: 'V3-ATT-12',
    },
    async arrange(row) {
      const caller = callerOf(profile, row)
      await doBefore(scenario, idOf(caller), row['after'], caller)
    },
    list: (query, caller) => chats.attachments(idOf(caller), query, { role: 'act', ...caller }),
    read: (query, names, caller) =>
      chats.poll(
        () => chats.readAttachments(idOf(caller), query, caller),
        (_, list) => names.every((name) => attachments.lists(list, name)),
      ),
    shows: attachments.lists,
    also: (trial, walk) =>
      claimNoneForeign(scenario, files, trial, walk, { ofChat: 'V3-ATT-12', sought: 'V3-ATT-13' }),
  })
  // The id of the chat of another caller does not show its files.
  for (const second of members.callers.slice(1)) {
    const chat = idOf(second)
    for (const list of [
      await attachments.list({ chat_id: chat }, { role: 'probe' }),
      await chats.attachments(chat, {}, { role: 'probe' }),
    ]) {
      const visible = members.of(second).filter((name) => attachments.lists(list, name))
      const what = 'files of another caller, by the id of their chat'
      claim('V3-ATT-11', () => expect(visible, what).toEqual([]), list)
    }
  }
  const removed = await chats.remove(idOf({}))
  claim('V3-CHAT-11', () => expectAccepted(removed, 'DELETE of a chat with files'), removed)
}

function inChat(chat: Chat | undefined) {
  return (query: Body): Body => ({ ...query, chat_id: chat?.id })
}

/** A list shows no files of another caller or chat, and a search none that it does not match. */
function claimNoneForeign(
  { claim, attachments, profile }: Scenario,
  { members, elsewhere }: Files,
  { row, answer }: Trial,
  walk: ListWalk,
  { ofChat, sought }: Readonly<{ ofChat: RequirementId | undefined; sought: RequirementId }>,
): void {
  const caller = callerOf(profile, row)
  const own = members.of(caller)
  const of = describeRow(row)
  const claimNone = (requirement: RequirementId, names: readonly string[], what: string) => {
    if (names.length === 0 || !succeeded(walk.pages[0])) return
    const visible = names.filter(
      (name) => attachments.lists(answer, name) || walk.pagesWith(name).length > 0,
    )
    claim(requirement, () => expect(visible, what).toEqual([]), answer, walk)
  }
  const foreign = members.callers
    .flatMap((one) => members.of(one))
    .filter((name) => !own.includes(name))
  claimNone('V3-ATT-11', foreign, `files of another caller (${of})`)
  if (ofChat)
    claimNone(ofChat, elsewhere, `files of another chat or of none, that are shown (${of})`)
  if (row['search'] === plain) return
  const matches = members.of(caller, row['search'])
  const others = own.filter((name) => !matches.includes(name))
  claimNone(sought, others, `files that the search does not match (${of})`)
}
