// biome-ignore-all lint/style/noExcessiveLinesPerFile: one section of the document
import {
  assume,
  assumeRead,
  covers,
  describe,
  describeShape,
  expect,
  expectAccepted,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { isContentRefusal } from '../support/refusals.ts'
import { buildTextFile } from '../support/test-data.ts'

/** Sections 2.4 and 4.3: files of the caller and of a chat. */
describe('v3: attachments', () => {
  test(
    'an upload returns an attachment that describes its file',
    covers(['V3-ATT-01', 'V3-ATT-02', 'V3-ATT-03', 'V3-ATT-04', 'V3-ATT-05', 'V3-ATT-08'], {
      requests: 12,
      uploads: 2,
    }),
    async ({ attachments, chats, claim, session, profile }) => {
      for (const more of ['', ' Größe 東京']) {
        const file = buildTextFile(session, session.nonce(), more)
        const uploaded = await attachments.upload(file)
        if (isContentRefusal(uploaded) && profile.requests.upload?.part === undefined) {
          session.markUndecided(
            'unproven',
            ['V3-ATT-01', 'V3-ATT-02', 'V3-ATT-03', 'V3-ATT-04', 'V3-ATT-05'],
            'a file in the part "file", which is a guess, was refused: set requests.upload.part',
          )
          return
        }
        const record = attachments.recordIn(uploaded, file.name)
        const listed = async () =>
          attachments.lists(await attachments.walk({ search: file.name }), file.name)
        // A success that says nothing, of a file that nobody lists, may come from anybody.
        const isVisible = !succeeded(uploaded) || record !== undefined || (await listed())
        assume(isVisible, 'neither the answer to the upload nor the list shows the file', uploaded)
        claim('V3-ATT-01', () => expectAccepted(uploaded, 'POST /attachment'), uploaded)
        assume(
          record,
          'the answer to the upload shows no attachment: say shapes.attachment',
          uploaded,
        )
        session.observe(
          'OPEN-14',
          `POST /attachment: ${statusText(uploaded)} ${describeShape(uploaded)}`,
          [uploaded],
        )
        claim(
          'V3-ATT-02',
          () => {
            for (const member of ['id', 'filename', 'content_type', 'bucket', 'created_at']) {
              expect(record[member], `${member} of the attachment`).toBeTypeOf('string')
            }
          },
          uploaded,
        )
        claim('V3-ATT-03', () => expect(record['filename'], 'filename').toBe(file.name), uploaded)
        claim('V3-ATT-04', () => expect(record['size'], 'size').toBe(file.bytes.length), uploaded)
        const type = String(record['content_type']).split(';')[0]?.trim()
        claim('V3-ATT-05', () => expect(type, 'content_type').toBe(file.type), uploaded)
        if (more === '' || record['filename'] !== file.name) continue
        const found = await chats.poll(
          () => attachments.walk({ search: file.name }),
          (_, page) => attachments.lists(page, file.name),
        )
        assumeRead(found, attachments.lists(found, file.name))
        claim(
          'V3-ATT-08',
          () => {
            const isFound = attachments.lists(found, file.name)
            expect(isFound, 'a search beyond ASCII finds the file').toBe(true)
          },
          found,
          uploaded,
        )
      }
    },
  )

  test(
    'attachments are listed by chat',
    covers(['V3-ATT-06', 'V3-ATT-07', 'V3-ATT-08', 'V3-ATT-12', 'V3-ATT-13'], {
      requests: 37,
      uploads: 4,
      chats: 2,
    }),
    async ({ attachments, v3, chats, claim, profile, session }) => {
      const [chat, other] = [await v3.createChat(), await v3.createChat()]
      const file = () => buildTextFile(session)
      const [inside, outside, elsewhere, second] = [file(), file(), file(), file()]
      for (const [upload, id] of [
        [inside, chat.id],
        [second, chat.id],
        [outside, undefined],
        [elsewhere, other.id],
      ] as const) {
        const uploaded = await attachments.upload(upload, id, { role: 'arrange' })
        assume(succeeded(uploaded), `an upload was refused with ${statusText(uploaded)}`, uploaded)
      }
      const ofChat = await chats.poll(
        () => attachments.walk({ chat_id: chat.id }, {}),
        (_, page) => [inside, second].every(({ name }) => attachments.lists(page, name)),
      )
      const list = await chats.readAttachments(chat.id)
      assume(
        [ofChat, list].some((page) => attachments.lists(page, inside.name)) ||
          profile.requests.upload?.chatField !== undefined,
        'the upload did not join the chat: set requests.upload.chatField',
        ofChat,
        list,
      )
      for (const [requirement, route, page] of [
        ['V3-ATT-07', 'GET /attachment with chat_id', ofChat],
        ['V3-ATT-12', 'GET /chat/{chat_id}/attachments', list],
      ] as const) {
        const shows = (name: string) => attachments.lists(page, name)
        assumeRead(page, shows(inside.name) && shows(second.name))
        claim(
          requirement,
          () => {
            expectAccepted(page, route)
            expect(shows(inside.name), 'the list shows the file of the chat').toBe(true)
            expect(shows(second.name), 'the list shows its second file').toBe(true)
            expect(shows(outside.name), 'the list shows a file of no chat').toBe(false)
            expect(shows(elsewhere.name), 'the list shows a file of another chat').toBe(false)
          },
          page,
        )
      }
      const everything = await attachments.waitForListed({}, [inside.name])
      const isListed = everything.pagesWith(inside.name).length > 0
      if (isListed || everything.complete) {
        claim(
          'V3-ATT-06',
          () => expect(isListed, 'the list shows a file of a chat').toBe(true),
          ...everything.pages.slice(0, 3),
        )
      }
      const sought = await attachments.walk({ chat_id: chat.id, search: elsewhere.name })
      if (succeeded(sought.pages[0])) {
        claim(
          'V3-ATT-07',
          () => {
            const isFound = attachments.lists(sought, elsewhere.name)
            expect(isFound, 'a search in the chat finds a file of another chat').toBe(false)
          },
          sought,
        )
        claim(
          'V3-ATT-08',
          () => {
            const isFound = attachments.lists(sought, inside.name)
            expect(
              isFound,
              'a search in the chat for the name of another file finds its own file',
            ).toBe(false)
          },
          sought,
        )
      }
      const found = await chats.readAttachments(chat.id, { search: inside.name })
      const missed = await chats.readAttachments(chat.id, { search: outside.name })
      assumeRead(found, attachments.lists(found, inside.name))
      claim(
        'V3-ATT-13',
        () => {
          expectAccepted(found, 'GET /chat/{chat_id}/attachments with search')
          expect(
            attachments.lists(found, inside.name),
            'the search finds the file by its name',
          ).toBe(true)
          expect(
            attachments.lists(missed, inside.name),
            'a search for another name finds the file',
          ).toBe(false)
        },
        found,
        missed,
      )
    },
  )
})
