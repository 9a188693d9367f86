import {
  assume,
  type Chat,
  coversAtDepth,
  describe,
  expect,
  isObject,
  type ListWalk,
  type Row,
  requirementsOf,
  type ScenarioContext,
  statusText,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { buildTextFile } from '../../support/test-data.ts'
import { claimRecord } from '../../support/uploads.ts'
import { doBefore } from '../edits.ts'
import { type Body, describeRow, plain } from '../trials.ts'
import { cap, claimLists, rowsAt } from './list-laws.ts'
import { editsFor, type Members, membersOf } from './members.ts'

type Context = Pick<
  ScenarioContext,
  'v3' | 'chats' | 'attachments' | 'claim' | 'session' | 'profile' | 'prompts' | 'coverage'
>

interface Files {
  readonly members: Members
  chatOf(isSecond: boolean): Chat | undefined
}

/** Sections 2.4 and 4.3: the laws of a list of files hold for any search and caller, and after any change. */
describe('v3: laws of files', () => {
  test(
    'the lists of attachments MUST show each file once under every condition',
    coversAtDepth(
      [...requirementsOf('V3-ATT', { except: ['V3-ATT-01'] }), 'V3-AUTH-05'],
      (rows, depth) => ({ requests: 14 * rowsAt({ depth, rows }) + 90, uploads: 24, chats: 2 }),
    ),
    async ({ v3, chats, attachments, claim, session, profile, prompts, coverage }) => {
      const context = { v3, chats, attachments, claim, session, profile, prompts, coverage }
      const files = await filesOf(context)
      await claimFilesOfCaller(context, files)
      if (coverage.depth === 'quick' || profile.requests.upload?.chatField === undefined) return
      await claimFilesOfChat(context, files)
    },
  )
})

async function filesOf(context: Context): Promise<Files> {
  const { v3, attachments, claim, session } = context
  const places = new Map<boolean, Chat>()
  const members = await membersOf(context, async (word, _kind, caller) => {
    const isSecond = caller.authorization !== undefined
    const chat = places.get(isSecond) ?? (await v3.createChat(caller))
    places.set(isSecond, chat)
    const names: string[] = []
    for (const more of ['-a', '-b', '-c']) {
      const file = buildTextFile(session, word, `${more}${isSecond ? 2 : 1}`)
      const uploaded = await attachments.upload(file, chat.id, { role: 'arrange', ...caller })
      assume(succeeded(uploaded), `an upload was refused with ${statusText(uploaded)}`, uploaded)
      const record = attachments.recordIn(uploaded, file.name)
      if (isObject(record)) claimRecord(claim, record, file, uploaded)
      names.push(file.name)
    }
    return names
  })
  return { members, chatOf: (isSecond) => places.get(isSecond) }
}

async function claimFilesOfCaller(context: Context, { members, chatOf }: Files): Promise<void> {
  const { chats, attachments, claim, profile } = context
  const canJoin = profile.requests.upload?.chatField !== undefined
  const { caller, ...edits } = editsFor(members)
  await claimLists(context, members, {
    operation: 'v3.attachments',
    edits: {
      ...edits,
      chat_id: { given: canJoin ? inChat(chatOf(false)) : undefined },
      caller: {
        second:
          caller.second && ((query) => ('chat_id' in query ? inChat(chatOf(true))(query) : query)),
      },
    },
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
    sizeOf: (page, names) => names.filter((name) => attachments.lists(page, name)).length,
    shows: attachments.lists,
    also({ row, body }, walk) {
      claimNoneForeign({ claim }, members, row, walk)
      if (body['chat_id'] === undefined || row['search'] !== plain || row['limit'] !== plain) return
      const names = members.of(row['caller'] === 'second')
      const missing = names.filter((name) => walk.pagesWith(name).length === 0)
      const what = `files of the chat that the list does not show (${describeRow(row)})`
      claim('V3-ATT-07', () => expect(missing, what).toEqual([]), walk)
    },
  })
}

async function claimFilesOfChat(context: Context, { members, chatOf }: Files): Promise<void> {
  const { chats, attachments, claim } = context
  const idOf = (isSecond: boolean) => chatOf(isSecond)?.id ?? ''
  const { search, caller } = editsFor(members)
  await claimLists(context, members, {
    operation: 'v3.chatAttachments',
    edits: { search, caller, after: { rename: asItIs, favorite: asItIs, refusal: asItIs } },
    requirements: {
      listed: 'V3-ATT-12',
      found: 'V3-ATT-13',
      limited: 'V3-ATT-12',
      paged: 'V3-ATT-12',
    },
    arrange: ({ after, caller: by }) =>
      doBefore(context, idOf(by === 'second'), after, members.callerOf(by === 'second')),
    list: (query, options) =>
      chats.attachments(idOf(options.authorization !== undefined), query, {
        role: 'act',
        ...options,
      }),
    read: (query, names, options) =>
      chats.poll(
        () => chats.readAttachments(idOf(options.authorization !== undefined), query, options),
        (_, list) => names.every((name) => attachments.lists(list, name)),
      ),
    sizeOf: (page, names) => names.filter((name) => attachments.lists(page, name)).length,
    shows: attachments.lists,
    also: ({ row }, walk) => claimNoneForeign({ claim }, members, row, walk),
  })
}

const asItIs = (query: Body): Body => query

function inChat(chat: Chat | undefined) {
  return (query: Body): Body => ({ ...query, chat_id: chat?.id })
}

function claimNoneForeign(
  { claim }: Pick<Context, 'claim'>,
  members: Members,
  row: Row,
  walk: ListWalk,
): void {
  const others = members.of(row['caller'] !== 'second')
  if (others.length === 0) return
  const foreign = others.filter((name) => walk.pagesWith(name).length > 0)
  const what = `files of another caller (${describeRow(row)})`
  claim('V3-ATT-11', () => expect(foreign, what).toEqual([]), walk)
}
