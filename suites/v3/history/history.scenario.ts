import {
  assume,
  covers,
  describe,
  everyItemShown,
  expect,
  expectAccepted,
  historyRows,
  inputRows,
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
      const stranger = await v3.history(session.uuid())
      const rows = `${historyRows(stranger).length} rows`
      session.observe('OPEN-40', `${statusText(stranger)}, ${rows}`, [stranger])
    },
  )
})

const turns = 4

/** Section 4.3, for a service with several endpoints: all of them show the same history of a chat. */
describe('v3: history of several endpoints', () => {
  test(
    'every endpoint MUST show all turns in order',
    covers(['V3-HIST-07', 'V3-HIST-10'], {
      requests: 22,
      generations: turns,
      chats: 1,
      isAcrossEndpoints: true,
    }),
    async ({ v3, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const nonces: string[] = []
      const missingIn = (rows: Parameters<typeof inputRows>[0]) =>
        nonces.filter((nonce) => inputRows(rows, nonce).length === 0)
      for (let turn = 0; turn < turns; turn += 1) {
        const nonce = session.nonce()
        nonces.push(nonce)
        const reply = await v3.generateOk(v3.generateBody(chat, prompts.brief(nonce)))
        const { rows, pages } = await v3.waitForHistory(
          chat,
          (history) => missingIn(history).length === 0,
        )
        const isWhole = () => expect(missingIn(rows), 'turns that the history lacks').toEqual([])
        const isShown = claim('V3-HIST-07', isWhole, reply, ...pages)
        if (!isShown) return
        assume(everyItemShown(rows), 'the history shows rows without an item', ...pages)
      }
      const { rows, pages } = await v3.walk(chat, 1)
      const strays = nonces.filter((nonce) => inputRows(rows, nonce).length !== 1)
      const what = 'turns that a walk with limit 1 does not show exactly once'
      claim('V3-HIST-10', () => expect(strays, what).toEqual([]), ...pages)
    },
  )
})
