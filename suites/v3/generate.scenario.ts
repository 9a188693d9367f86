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
import { describeForm, type FormWithInput, pairedForms } from '../support/forms.ts'
import { claimOutputKept, claimTurnKept } from '../support/history.ts'
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
    async ({ v3, claim, prompts }) => {
      const question = prompts.reasoned()
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
      // A server that searches or thinks in one of them alone may say so in further members.
      const haveSameItems = itemTypesOf(a) === itemTypesOf(b)
      assume(haveSameItems, 'the two answers hold items of different types', whole, streamed)
      claim(
        'V3-GEN-04',
        () => expect(differentMembers, 'members of one form only').toEqual([]),
        whole,
        streamed,
      )
    },
  )

  test(
    'input may be an array of items, and the history has each of them',
    covers(['V3-GEN-06', 'V3-HIST-07'], { requests: 8, generations: 2, chats: 2 }),
    async ({ v3, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const nonces = [session.nonce(), session.nonce(), session.nonce()]
      const input = nonces.map((nonce) => inputText(prompts.brief(nonce)))
      // The last of them stands at the end of a long text; how long a text may be is open.
      const longText = `${ruler.repeat(45)}${prompts.brief(nonces[2])}`
      const long = await v3.generate(
        v3.generateBody(chat, [...input.slice(0, 2), inputText(longText)]),
      )
      const reply = isDeclined(long) ? await v3.generate(v3.generateBody(chat, input)) : long
      const accepted = claim(
        'V3-GEN-06',
        () => expectAccepted(reply, 'input as an array of items'),
        reply,
      )
      assume(accepted, 'input as an array of items was refused', reply)
      const streamed = await v3.generate(
        v3.generateBody(await v3.createChat(), [inputText(prompts.brief())], { stream: true }),
      )
      claim(
        'V3-GEN-06',
        () => expectAccepted(streamed, 'input as an array of items (stream)'),
        streamed,
      )

      const counted = (rows: Parameters<typeof inputRows>[0]) =>
        nonces.map((nonce) => inputRows(rows, nonce).length)
      const { rows, pages } = await v3.waitForHistory(
        chat,
        (history) => !counted(history).includes(0),
      )
      const isComplete = !counted(rows).includes(0)
      const canBeTold = inputRows(rows).length > 0 && everyItemShown(rows)
      assume(isComplete || canBeTold, 'rows show no item, which is legal', ...pages)
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
    async ({ v3, claim, session, profile, prompts }) => {
      const chat = await v3.createChat()
      const forms = pairedForms(profile, session.contentSeed)
      for (const [at, parameter] of [
        { max_tokens: 24 },
        { temperature: 0.7 },
        // A float that JSON writes without a fraction.
        { top_p: 1 },
        { presence_penalty: 0.5 },
      ].entries()) {
        const form = forms[at % forms.length] ?? { stream: false, ofItems: false }
        const { reply, evidence, isInForm } = await sendParameter(parameter, form)
        const inForm = isInForm ? describeForm(form) : ''
        const what = `a generation with ${Object.keys(parameter).join()}${inForm}`
        claim('V3-GEN-09', () => expectAccepted(reply, what), ...evidence)
        // An answer that was cut is an answer, too.
        if ('max_tokens' in parameter) await claimOutputKept({ v3, claim }, chat, reply)
      }

      async function sendParameter(
        parameter: Readonly<Record<string, number>>,
        { ofItems, ...form }: FormWithInput,
      ) {
        const question = prompts.reasoned()
        const input = ofItems ? [inputText(question)] : question
        const send = (body: Readonly<Record<string, unknown>>, role: 'act' | 'control') =>
          v3.generate(v3.generateBody(chat, question, body), { role })
        const reply = await send({ input, ...form, ...parameter }, 'act')
        if (!isDeclined(reply)) return { reply, evidence: [reply], isInForm: true }
        const control = await send({ input, ...form }, 'control')
        if (!isDeclined(control)) return { reply, evidence: [reply, control], isInForm: true }
        // The form itself is refused, which is for another requirement.
        const plain = await send(parameter, 'act')
        return { reply: plain, evidence: [plain], isInForm: false }
      }
    },
  )

  test(
    'every accepted id of the main model works on v3',
    covers(['V3-MODEL-01', 'V3-HIST-07'], { requests: 8, generations: 2, chats: 1 }),
    async ({ v3, claim, session, profile, prompts }) => {
      const chat = await v3.createChat()
      for (const model_id of modelAliases(profile)) {
        for (const stream of [false, true]) {
          const nonce = session.nonce()
          const question = stream ? prompts.otherBrief(nonce) : prompts.brief(nonce)
          const reply = await v3.generate(v3.generateBody(chat, question, { model_id, stream }))
          const what = `model_id ${model_id}${describeForm({ stream })}`
          const works = () => expectAccepted(reply, what)
          if (!claim('V3-MODEL-01', works, reply)) continue
          await claimTurnKept({ v3, claim }, chat, nonce, reply)
        }
      }
    },
  )

  test(
    'responses to invalid fields',
    covers(['V3-GEN-13'], { requests: 4, generations: 1, chats: 1 }),
    async ({ v3, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const doubtful = {
        'a chat_id that is no UUID': v3.generateBody('nowhere', prompts.brief()),
        'no model_id': v3.generateBody(chat, prompts.brief(), { model_id: undefined }),
      }
      for (const [what, body] of Object.entries(doubtful)) {
        const probe = await v3.generate(body, { role: 'probe' })
        const question = what === 'no model_id' ? 'OPEN-10' : 'OPEN-22'
        session.observe(question, `${what}: ${probe.response?.status}`, [probe])
        if (!isDeclined(probe)) continue
        claim(
          'V3-GEN-13',
          () => expect(probe.response?.status, `status with ${what}`).toBeLessThan(500),
          probe,
        )
      }
    },
  )
})

/** A hundred characters in few tokens. */
const ruler = `${'-'.repeat(99)}\n`

/** Types of the output items, each once, as one text. */
function itemTypesOf({ output }: Readonly<Record<string, unknown>>): string {
  const items = Array.isArray(output) ? output : []
  const types = items.map((item) => (isObject(item) ? String(item['type']) : typeof item))
  return [...new Set(types)].sort().join()
}
