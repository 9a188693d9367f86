import {
  covers,
  describe,
  expect,
  expectAccepted,
  historyRows,
  statusText,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'

/** Section 4.3: the history of a chat without a message. */
describe('v3: history', () => {
  test(
    'GET /message MUST answer for a chat without a message',
    covers(['V3-HIST-01', 'V3-HIST-11'], { requests: 6, chats: 1 }),
    async ({ v3, chats, claim, session }) => {
      const chat = await v3.createChat()
      const page = await chats.poll(
        () => v3.history(chat),
        (_, read) => succeeded(read),
      )
      claim('V3-HIST-01', () => expectAccepted(page, 'the history of an empty chat'), page)
      if (succeeded(page)) {
        // A cursor may lead to an empty page.
        const { lastCursor, pages } = await v3.walk(chat)
        const isNull = () => expect(lastCursor, 'last cursor of an empty history').toBeNull()
        claim('V3-HIST-11', isNull, ...pages)
      }
      await session.waitForOthers()
      const stranger = await v3.history(session.uuid())
      const rows = `${historyRows(stranger).length} rows`
      session.observe('OPEN-40', `${statusText(stranger)}, ${rows}`, [stranger])
    },
  )
})
