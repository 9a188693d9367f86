import {
  assume,
  assumeRead,
  covers,
  describe,
  describeShape,
  expect,
  expectAccepted,
  type ScenarioContext,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { isContentRefusal } from '../support/refusals.ts'
import { buildTextFile } from '../support/test-data.ts'
import { claimRecord } from '../support/uploads.ts'

/** Sections 2.4 and 4.3: files of the caller and of a chat. */
describe('v3: attachments', () => {
  const described = ['V3-ATT-01', 'V3-ATT-02', 'V3-ATT-03', 'V3-ATT-04', 'V3-ATT-05'] as const

  for (const [kind, more] of [
    ['a file', ''],
    ['a file whose name is beyond ASCII', ' Größe 東京'],
  ] as const) {
    test(
      `POST /attachment MUST return an attachment that describes ${kind}`,
      covers(described, { requests: 6, uploads: 1 }),
      async ({ attachments, claim, session, profile }) => {
        const file = buildTextFile(session, session.nonce(), more)
        const uploaded = await attachments.upload(file)
        if (isContentRefusal(uploaded) && profile.requests.upload?.part === undefined) {
          const reason =
            'a file in the part "file", which is a guess, was refused: set requests.upload.part'
          session.markUndecided('unproven', described, reason)
          return
        }
        const record = attachments.recordIn(uploaded, file.name)
        const listed = async () =>
          attachments.lists(await attachments.walk({ search: file.name }), file.name)
        // A success without content, for a file that is not listed, may come from any server.
        const isVisible = !succeeded(uploaded) || record !== undefined || (await listed())
        assume(isVisible, 'neither the answer to the upload nor the list shows the file', uploaded)
        claim('V3-ATT-01', () => expectAccepted(uploaded, 'POST /attachment'), uploaded)
        const missing = 'the answer to the upload shows no attachment: say shapes.attachment'
        assume(record, missing, uploaded)
        const shape = `POST /attachment: ${statusText(uploaded)} ${describeShape(uploaded)}`
        session.observe('OPEN-14', shape, [uploaded])
        claimRecord(claim, record, file, uploaded)
      },
    )
  }

  test(
    'the lists of a chat MUST show its files and no others',
    covers(['V3-ATT-07', 'V3-ATT-12'], { requests: 24, uploads: 4, chats: 2 }),
    async ({ attachments, v3, chats, claim, profile, session }) => {
      const { chat, own, others } = await uploadFiles({ v3, attachments, session })
      const ofChat = await chats.poll(
        () => attachments.walk({ chat_id: chat.id }, {}),
        (_, page) => own.every((name) => attachments.lists(page, name)),
      )
      const list = await chats.readAttachments(chat.id)
      const hasJoined = [ofChat, list].some((page) => attachments.lists(page, own[0]))
      assume(hasJoined || profile.requests.upload?.chatField !== undefined, noJoin, ofChat, list)
      for (const [requirement, route, page] of [
        ['V3-ATT-07', 'GET /attachment with chat_id', ofChat],
        ['V3-ATT-12', 'GET /chat/{chat_id}/attachments', list],
      ] as const) {
        const shownOf = (names: readonly string[]) =>
          names.filter((name) => attachments.lists(page, name))
        assumeRead(page, shownOf(own).length === own.length)
        const showsOwn = () => {
          expectAccepted(page, route)
          expect(shownOf(own), 'files of the chat that the list shows').toEqual(own)
          expect(shownOf(others), 'files of no chat, or another, that it shows').toEqual([])
        }
        claim(requirement, showsOwn, page)
      }
    },
  )

  test(
    'a search in a chat MUST find its files by their names and no others',
    covers(['V3-ATT-07', 'V3-ATT-08', 'V3-ATT-13'], { requests: 24, uploads: 4, chats: 2 }),
    async ({ attachments, v3, chats, claim, profile, session }) => {
      const { chat, own, others } = await uploadFiles({ v3, attachments, session })
      const all = await chats.poll(
        () => chats.readAttachments(chat.id),
        (_, page) => attachments.lists(page, own[0]),
      )
      const hasJoined = attachments.lists(all, own[0])
      assume(hasJoined || profile.requests.upload?.chatField !== undefined, noJoin, all)
      const sought = await attachments.walk({ chat_id: chat.id, search: others[0] })
      if (succeeded(sought.pages[0])) {
        const shows = (name: string) => attachments.lists(sought, name)
        const foreign = 'a search in the chat finds a file of another chat'
        claim('V3-ATT-07', () => expect(shows(others[0]), foreign).toBe(false), sought)
        const unsought = 'a search in the chat for the name of another file finds its own file'
        claim('V3-ATT-08', () => expect(shows(own[0]), unsought).toBe(false), sought)
      }
      const found = await chats.readAttachments(chat.id, { search: own[0] })
      const missed = await chats.readAttachments(chat.id, { search: others[1] })
      const isFound = attachments.lists(found, own[0])
      assumeRead(found, isFound)
      const finds = () => {
        expectAccepted(found, 'GET /chat/{chat_id}/attachments with search')
        expect(isFound, 'the search finds the file by its name').toBe(true)
        const isMissed = attachments.lists(missed, own[0])
        expect(isMissed, 'a search for another name finds the file').toBe(false)
      }
      claim('V3-ATT-13', finds, found, missed)
    },
  )
})

const noJoin = 'the upload did not join the chat: set requests.upload.chatField'

type Context = Pick<ScenarioContext, 'v3' | 'attachments' | 'session'>

/** Names of two files of a chat, one file of another chat and one without a chat. */
async function uploadFiles({ v3, attachments, session }: Context) {
  const [chat, other] = [await v3.createChat(), await v3.createChat()]
  const upload = async (place?: string) => {
    const file = buildTextFile(session)
    const uploaded = await attachments.upload(file, place, { role: 'arrange' })
    assume(succeeded(uploaded), `an upload was refused with ${statusText(uploaded)}`, uploaded)
    return file.name
  }
  const own = [await upload(chat.id), await upload(chat.id)] as const
  return { chat, own, others: [await upload(other.id), await upload()] as const }
}
