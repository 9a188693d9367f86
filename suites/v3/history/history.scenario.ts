import {
  answerJson,
  answerParts,
  assume,
  compareOutputWithHistory,
  contains,
  covers,
  describe,
  describeShape,
  everyItemShown,
  expect,
  expectAccepted,
  finalResponse,
  historyCursor,
  historyRows,
  inputRows,
  isObject,
  statusText,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { inputPartTypes, textsWith } from '../../support/history.ts'

/** Sections 2.6 and 4.3: what the history of a chat holds. */
describe('v3: history', () => {
  test(
    'the history contains questions and answers',
    covers(
      [
        'V3-HIST-01',
        'V3-HIST-02',
        'V3-HIST-03',
        'V3-HIST-04',
        'V3-HIST-05',
        'V3-HIST-06',
        'V3-HIST-07',
        'V3-HIST-11',
      ],
      { requests: 6, generations: 1, chats: 1 },
    ),
    async ({ v3, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      // Blanks at both ends, a line break, signs that HTML escapes, and characters beyond ASCII.
      const question = `  ${prompts.brief()}\n\t${prompts.note(nonce)} a < b & c "é" 東 🚀 `
      const reply = await v3.generateOk(v3.generateBody(chat, question))
      const answer = answerParts(reply)
      const holdsAnswer = (value: unknown) => answer.every((text) => contains(value, text))
      const { rows, pages } = await v3.waitForHistory(
        chat,
        (history) => inputRows(history, nonce).length > 0 && holdsAnswer(history),
      )
      const [page] = pages
      assume(page, 'no page of the history')
      const readable = claim(
        'V3-HIST-01',
        () => {
          const body = answerJson(page)
          expectAccepted(page, 'GET /message')
          expect(isObject(body) && Array.isArray(body['result']), 'result is an array').toBe(true)
          expect(isObject(body) && isObject(body['pagination']), 'pagination is an object').toBe(
            true,
          )
        },
        page,
      )
      assume(readable, 'the history cannot be read', page)
      claim(
        'V3-HIST-11',
        () => expect(historyCursor(page), 'the cursor of the only page').toBeNull(),
        page,
      )
      // What a row without its item holds, nobody can tell.
      assume(
        (contains(rows, nonce) && holdsAnswer(rows)) || everyItemShown(rows),
        'rows show no item, which is legal',
        ...pages,
      )
      claim(
        'V3-HIST-07',
        () => {
          expect(contains(rows, nonce), 'the history contains the text of the user').toBe(true)
          expect(holdsAnswer(rows), 'the history contains the text of the answer').toBe(true)
          // Content that is no array of parts is for another row.
          const texts = textsWith(rows, nonce)
          if (texts.length > 0) expect(texts.join(''), 'the text of the user').toBe(question)
        },
        reply,
        ...pages,
      )
      const partTypes = inputPartTypes(rows, nonce)
      if (partTypes.length > 0) {
        claim(
          'V3-HIST-05',
          () =>
            expect([...new Set(partTypes)], 'types of the parts of a text').toEqual(['input_text']),
          ...pages,
        )
      }
      const output = finalResponse(reply)?.['output']
      assume(Array.isArray(output), 'the response shows no output', reply)
      const differences = compareOutputWithHistory(output, rows)
      claim(
        'V3-HIST-06',
        () => expect(differences, 'items that the history shows otherwise').toEqual([]),
        reply,
        ...pages,
      )
      const [row] = rows
      if (row)
        session.observe('OPEN-03', `members of a row: ${Object.keys(row).sort().join(', ')}`, [
          page,
        ])
      session.observe('OPEN-03', `members of a page: ${describeShape(page)}`, [page])
    },
  )

  test(
    'response to the history of a chat that does not exist',
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
