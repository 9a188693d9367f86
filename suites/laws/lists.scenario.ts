import {
  answerJson,
  assume,
  type Chat,
  contains,
  coversAtDepth,
  describe,
  describeShape,
  expect,
  listedChatIds,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { buildTextFile } from '../support/test-data.ts'
import { set } from './edits.ts'
import { cap, claimLists, editsFor, membersOf, rowsAt } from './list-laws.ts'
import { describeRow, plain } from './trials.ts'

/** Sections 2.5 and 4.3: what holds of a list holds on pages of any size, for any search and caller. */
describe('v3: laws of lists', () => {
  test(
    'the list of chats MUST show each chat once under every condition',
    coversAtDepth(
      ['V3-CHAT-05', 'V3-CHAT-06', 'V3-CHAT-07', 'V3-CHAT-08', 'V3-AUTH-05'],
      (rows, depth) => ({ requests: 8 * rowsAt({ depth, rows }) + 120, chats: 44 }),
    ),
    async ({ v3, chats, claim, session, profile, coverage }) => {
      const members = await membersOf({ session, chats, profile }, async (word, kind, caller) => {
        const made: Chat[] = []
        const count = kind === 'word' && caller.authorization === undefined ? manyChats : few
        while (made.length < count)
          made.push(await v3.createChat(caller, `${word} ${session.name()}`))
        return made.map(({ id }) => id)
      })
      await claimLists({ claim, session, coverage }, members, {
        operation: 'v3.chats',
        edits: editsFor(members),
        requirements: {
          listed: 'V3-CHAT-05',
          found: 'V3-CHAT-06',
          limited: 'V3-CHAT-07',
          paged: 'V3-CHAT-08',
        },
        list: chats.list,
        read: (query, ids, { authorization }) =>
          query['search'] === undefined && authorization === undefined
            ? chats.follow(
                query,
                ids.map((id) => ({ id })),
              )
            : chats.poll(
                () => chats.readList(query, cap(query), authorization ? { authorization } : {}),
                (list) => ids.every((id) => contains(list, id)),
              ),
        sizeOf: (page, ids) => listedChatIds(answerJson(page), ids).size,
        shows: (page, id) => contains(answerJson(page), id),
        also({ row, answer }) {
          if (row['search'] !== plain || row['limit'] !== plain) return
          const shape = `GET /chat: ${statusText(answer)} ${describeShape(answer)}`
          session.observe('OPEN-13', shape, [answer])
        },
      })
    },
  )

  test(
    'the list of attachments MUST show each file once under every condition',
    coversAtDepth(
      ['V3-ATT-06', 'V3-ATT-07', 'V3-ATT-08', 'V3-ATT-09', 'V3-ATT-10', 'V3-ATT-11', 'V3-AUTH-05'],
      (rows, depth) => ({ requests: 8 * rowsAt({ depth, rows }) + 90, uploads: 24, chats: 1 }),
    ),
    async ({ v3, chats, attachments, claim, session, profile, coverage }) => {
      const chat = await v3.createChat()
      const members = await membersOf({ session, chats, profile }, async (word, _kind, caller) => {
        const isSecond = caller.authorization !== undefined
        const names: string[] = []
        for (const more of ['-a', '-b', '-c']) {
          const file = buildTextFile(session, word, `${more}${isSecond ? 2 : 1}`)
          const place = isSecond ? undefined : chat.id
          const uploaded = await attachments.upload(file, place, { role: 'arrange', ...caller })
          assume(
            succeeded(uploaded),
            `an upload was refused with ${statusText(uploaded)}`,
            uploaded,
          )
          names.push(file.name)
        }
        return names
      })
      const canJoin = profile.requests.upload?.chatField !== undefined
      await claimLists({ claim, session, coverage }, members, {
        operation: 'v3.attachments',
        edits: {
          ...editsFor(members),
          chat_id: { given: canJoin ? set({ chat_id: chat.id }) : undefined },
        },
        requirements: {
          listed: 'V3-ATT-06',
          found: 'V3-ATT-08',
          limited: 'V3-ATT-09',
          paged: 'V3-ATT-10',
        },
        list: attachments.list,
        read: (query, names, caller) =>
          chats.poll(
            () => attachments.walk(query, { role: 'probe', ...caller }, cap(query)),
            (_, list) => names.every((name) => list.pagesWith(name).length > 0),
          ),
        sizeOf: (page, names) => names.filter((name) => attachments.lists(page, name)).length,
        shows: attachments.lists,
        also({ row, body }, walk) {
          const isSecond = row['caller'] === 'second'
          const foreign = members.of(!isSecond).filter((name) => walk.pagesWith(name).length > 0)
          const leak = `files of another caller (${describeRow(row)})`
          if (members.of(!isSecond).length > 0)
            claim('V3-ATT-11', () => expect(foreign, leak).toEqual([]), ...walk.pages.slice(0, 5))
          if (body['chat_id'] === undefined || row['search'] !== plain) return
          const missing = members.of(false).filter((name) => walk.pagesWith(name).length === 0)
          const what = `files of the chat that the list does not show (${describeRow(row)})`
          if (row['limit'] === plain)
            claim('V3-ATT-07', () => expect(missing, what).toEqual([]), ...walk.pages.slice(0, 5))
        },
      })
    },
  )
})

/** Pages of more than 20 rows take more elements than that. */
const manyChats = 23
const few = 3
