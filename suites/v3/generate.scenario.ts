import {
  assume,
  bodyJson,
  compareForms,
  covers,
  describe,
  everyItemShown,
  expect,
  expectAccepted,
  expectResponse,
  finalResponse,
  inputRows,
  inputText,
  isDeclined,
  isObject,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { describeForm } from '../support/forms.ts'
import { claimOutputKept } from '../support/history.ts'
import { modelAliases } from '../support/test-data.ts'

/** Section 4.3: POST /message/generate, its fields and its two forms. */
describe('v3: generation', () => {
  test(
    'a generation answers with the final response object, the same in both forms',
    covers(['V3-GEN-01', 'V3-GEN-02', 'V3-GEN-03', 'V3-GEN-04', 'V3-GEN-05', 'V3-GEN-12'], {
      requests: 7,
      generations: 2,
      chats: 2,
    }),
    async ({ v3, claim }) => {
      const question = 'Name a colour and say why you like it.'
      const chat = await v3.createChat()
      const asText = await v3.generate(v3.generateBody(chat, question))
      // Where a text is refused, the answer is still to be seen.
      const whole = isDeclined(asText)
        ? await v3.generate(v3.generateBody(chat, [inputText(question)]))
        : asText
      claim('V3-GEN-01', () => {
        expectResponse(whole, 'a generation with stream: false')
        expect(isObject(bodyJson(whole)), 'the body is one JSON object').toBe(true)
      })
      claim('V3-GEN-05', () => expectAccepted(asText, 'input as a text'), asText)

      const streamed = await v3.generateOk(
        v3.generateBody(await v3.createChat(), question, { stream: true }),
      )
      const [a, b] = [finalResponse(whole), finalResponse(streamed)]
      assume(a && b, 'one of the forms shows no final response', whole, streamed)
      const { differentTypes, differentMembers } = compareForms(a, b)
      claim(
        'V3-GEN-03',
        () => expect(differentTypes, 'members of other types').toEqual([]),
        whole,
        streamed,
      )
      claim(
        'V3-GEN-04',
        () => expect(differentMembers, 'members of one form only').toEqual([]),
        whole,
        streamed,
      )
    },
  )

  test(
    'input may be an array of items, and each of them is in the history',
    covers(['V3-GEN-06', 'V3-HIST-07'], { requests: 7, generations: 2, chats: 2 }),
    async ({ v3, claim, session }) => {
      const chat = await v3.createChat()
      const nonces = [session.nonce(), session.nonce(), session.nonce()]
      const input = nonces.map((nonce) => inputText(`Name a colour for ${nonce}.`))
      const reply = await v3.generate(v3.generateBody(chat, input))
      const accepted = claim(
        'V3-GEN-06',
        () => expectAccepted(reply, 'input as an array of items'),
        reply,
      )
      assume(accepted, 'input as an array of items was refused', reply)
      const streamed = await v3.generate(
        v3.generateBody(await v3.createChat(), [inputText('Name a colour.')], { stream: true }),
      )
      claim(
        'V3-GEN-06',
        () => expectAccepted(streamed, 'input as an array of items (stream)'),
        streamed,
      )

      const counted = (rows: Parameters<typeof inputRows>[0]) =>
        nonces.map((nonce) => inputRows(rows, nonce).length)
      const { rows, pages } = await v3.waitForHistory(chat, (seen) => !counted(seen).includes(0))
      const shown = inputRows(rows).length > 0 && everyItemShown(rows)
      assume(shown, 'rows show no item, which is legal', ...pages)
      claim(
        'V3-HIST-07',
        () => expect(counted(rows), 'history rows of each item').toEqual([1, 1, 1]),
        reply,
        ...pages,
      )
    },
  )

  test(
    'a generation takes its parameters',
    covers(['V3-GEN-09', 'V3-GEN-10', 'V3-HIST-06'], { requests: 8, generations: 4, chats: 1 }),
    async ({ v3, claim }) => {
      const chat = await v3.createChat()
      for (const parameter of [
        { max_tokens: 24 },
        { temperature: 0.7 },
        { top_p: 0.9 },
        { presence_penalty: 0.5 },
      ]) {
        const reply = await v3.generate(v3.generateBody(chat, 'Tell me about the sea.', parameter))
        const what = `a generation with ${Object.keys(parameter).join()}`
        claim('V3-GEN-09', () => expectAccepted(reply, what), reply)
        // An answer that was cut is an answer, too.
        if ('max_tokens' in parameter) await claimOutputKept({ v3, claim }, chat, reply)
      }
    },
  )

  test(
    'every accepted id of the main model works on v3',
    covers(['V3-MODEL-01'], { requests: 4, generations: 2, chats: 1 }),
    async ({ v3, claim, profile }) => {
      const chat = await v3.createChat()
      for (const model_id of modelAliases(profile)) {
        for (const stream of [false, true]) {
          const question = stream ? 'Name another colour.' : 'Name a colour.'
          const reply = await v3.generate(v3.generateBody(chat, question, { model_id, stream }))
          const what = `model_id ${model_id}${describeForm({ stream })}`
          claim('V3-MODEL-01', () => expectAccepted(reply, what), reply)
        }
      }
    },
  )

  test(
    'invalid fields are answered somehow',
    covers(['V3-GEN-13'], { requests: 4, generations: 1, chats: 1 }),
    async ({ v3, claim, session }) => {
      const chat = await v3.createChat()
      const doubtful = {
        'a chat_id that is no UUID': v3.generateBody('nowhere', 'Name a colour.'),
        'no model_id': v3.generateBody(chat, 'Name a colour.', { model_id: undefined }),
      }
      for (const [what, body] of Object.entries(doubtful)) {
        const seen = await v3.generate(body, { role: 'probe' })
        const question = what === 'no model_id' ? 'OPEN-10' : 'OPEN-22'
        session.observe(question, `${what}: ${seen.response?.status}`, [seen])
        if (!isDeclined(seen)) continue
        claim(
          'V3-GEN-13',
          () => expect(seen.response?.status, `status with ${what}`).toBeLessThan(500),
          seen,
        )
      }
    },
  )
})
