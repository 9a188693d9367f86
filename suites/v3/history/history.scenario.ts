import {
  acrossEndpoints,
  answerJson,
  answerParts,
  assume,
  compareOutputWithHistory,
  contains,
  covers,
  describe,
  describeShape,
  type Exchange,
  everyItemShown,
  expect,
  expectAccepted,
  finalResponse,
  type HistoryRow,
  historyCursor,
  historyRows,
  inputRows,
  isObject,
  type Session,
  statusText,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { inputPartTypes, textsWith } from '../../support/history.ts'

/** Sections 2.6 and 4.3: the content of the history of a chat. */
describe('v3: history', () => {
  const requirements = [
    ...(['V3-HIST-01', 'V3-HIST-02', 'V3-HIST-03', 'V3-HIST-04'] as const),
    ...(['V3-HIST-05', 'V3-HIST-06', 'V3-HIST-07', 'V3-HIST-11'] as const),
  ]

  test(
    'the history MUST contain the question and the answer of a turn as they were',
    covers(requirements, { requests: 6, generations: 1, chats: 1 }),
    async ({ v3, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      // Spaces at both ends, a line break, characters that HTML escapes, and characters beyond ASCII.
      const question = `  ${prompts.brief()}\n\t${prompts.note(nonce)} a < b & c "é" 東 🚀 `
      const reply = await v3.generateOk(v3.generateBody(chat, question))
      const answer = answerParts(reply)
      const holds = (value: unknown) => answer.every((text) => contains(value, text))
      const { rows, pages } = await v3.waitForHistory(
        chat,
        (history) => inputRows(history, nonce).length > 0 && holds(history),
      )
      const [page] = pages
      assume(page, 'no page of the history')
      const isReadable = claim('V3-HIST-01', () => expectPage(page), page)
      assume(isReadable, 'the history cannot be read', page)
      const cursor = historyCursor(page)
      claim('V3-HIST-11', () => expect(cursor, 'the cursor of the only page').toBeNull(), page)
      // The content of a row without its item is unknown.
      const isShown = (contains(rows, nonce) && holds(rows)) || everyItemShown(rows)
      assume(isShown, 'rows show no item, which is legal', ...pages)
      const holdsTurn = () => {
        expect(contains(rows, nonce), 'the history contains the text of the user').toBe(true)
        expect(holds(rows), 'the history contains the text of the answer').toBe(true)
        // Another requirement covers content that is not an array of parts.
        const texts = textsWith(rows, nonce)
        if (texts.length > 0) expect(texts.join(''), 'the text of the user').toBe(question)
      }
      claim('V3-HIST-07', holdsTurn, reply, ...pages)
      const types = [...new Set(inputPartTypes(rows, nonce))]
      const areTexts = () => expect(types, 'types of the parts of a text').toEqual(['input_text'])
      if (types.length > 0) claim('V3-HIST-05', areTexts, ...pages)
      const output = finalResponse(reply)?.['output']
      assume(Array.isArray(output), 'the response shows no output', reply)
      const differences = compareOutputWithHistory(output, rows)
      const what = 'items that the history shows otherwise'
      claim('V3-HIST-06', () => expect(differences, what).toEqual([]), reply, ...pages)
      observeMembers(session, page, rows)
    },
  )

  test(
    'GET /message MUST answer for a chat without a message',
    covers(['V3-HIST-01'], { requests: 4, chats: 1 }),
    async ({ v3, claim, session }) => {
      const chat = await v3.createChat()
      const page = await v3.history(chat)
      claim('V3-HIST-01', () => expectAccepted(page, 'the history of an empty chat'), page)
      const stranger = await v3.history(session.uuid())
      session.observe('OPEN-40', `${statusText(stranger)}, ${historyRows(stranger).length} rows`, [
        stranger,
      ])
    },
  )
})

function expectPage(page: Exchange): void {
  expectAccepted(page, 'GET /message')
  const body = answerJson(page)
  expect(isObject(body) && Array.isArray(body['result']), 'result is an array').toBe(true)
  expect(isObject(body) && isObject(body['pagination']), 'pagination is an object').toBe(true)
}

function observeMembers(session: Session, page: Exchange, rows: readonly HistoryRow[]): void {
  const members = Object.keys(rows[0] ?? {}).sort()
  session.observe('OPEN-03', `members of a row: ${members.join(', ')}`, [page])
  session.observe('OPEN-03', `members of a page: ${describeShape(page)}`, [page])
}

const turns = 4

/** Section 4.3, for a service with several endpoints: all of them show the same history of a chat. */
describe('v3: history of several endpoints', () => {
  test(
    'every endpoint MUST show all turns in order',
    acrossEndpoints(
      covers(['V3-HIST-07', 'V3-HIST-10'], { requests: 22, generations: turns, chats: 1 }),
    ),
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
        const isShown = claim(
          'V3-HIST-07',
          () => expect(missingIn(rows), 'turns that the history lacks').toEqual([]),
          reply,
          ...pages,
        )
        if (!isShown) return
        assume(everyItemShown(rows), 'the history shows rows without their item', ...pages)
      }
      const { rows, pages } = await v3.walk(chat, 1)
      claim(
        'V3-HIST-10',
        () =>
          expect(
            nonces.filter((nonce) => inputRows(rows, nonce).length !== 1),
            'turns that a walk with limit 1 does not show exactly once',
          ).toEqual([]),
        ...pages,
      )
    },
  )
})
