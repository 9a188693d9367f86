import { sampleVideo } from '../../fixtures/content/media.ts'
import {
  assume,
  bodyJson,
  compareForms,
  covers,
  describe,
  expect,
  expectAccepted,
  expectResponse,
  fill,
  finalResponse,
  inputText,
  isDeclined,
  isObject,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { claimTurnKept } from '../support/history.ts'

/** Section 4.3: POST /message/generate, its fields and its two forms. */
describe('v3: generation', () => {
  test(
    'a generation MUST answer with the final response object, the same in both forms',
    covers(['V3-GEN-01', 'V3-GEN-02', 'V3-GEN-03', 'V3-GEN-04', 'V3-GEN-05', 'V3-GEN-12'], {
      requests: 7,
      generations: 2,
      chats: 2,
    }),
    async ({ v3, claim, prompts }) => {
      const question = prompts.reasoned()
      const chat = await v3.createChat()
      const asText = await v3.generate(v3.generateBody(chat, question))
      // If a string is refused, the answer is requested with a list.
      const whole = isDeclined(asText)
        ? await v3.generate(v3.generateBody(chat, [inputText(question)]))
        : asText
      claim('V3-GEN-01', () => {
        expectResponse(whole, 'a generation with stream: false')
        expect(isObject(bodyJson(whole)), 'the body is one JSON object').toBe(true)
      })
      claim('V3-GEN-05', () => expectAccepted(asText, 'input as text'), asText)

      const streamed = await v3.generateOk(
        v3.generateBody(await v3.createChat(), question, { stream: true }),
      )
      const [a, b] = [finalResponse(whole), finalResponse(streamed)]
      assume(a && b, 'one of the forms has no final response', whole, streamed)
      const { differentTypes, differentMembers } = compareForms(a, b)
      const sameTypes = () => expect(differentTypes, 'members of other types').toEqual([])
      claim('V3-GEN-03', sameTypes, whole, streamed)
      // A server that searches or thinks in only one of them may have further fields in it.
      const haveSameItems = itemTypesOf(a) === itemTypesOf(b)
      assume(haveSameItems, 'the two answers contain items of different types', whole, streamed)
      const sameMembers = () => expect(differentMembers, 'members of one form only').toEqual([])
      claim('V3-GEN-04', sameMembers, whole, streamed)
    },
  )

  test(
    'an input whose content is a string MUST be shown as a list of parts',
    covers(['V3-HIST-05', 'V3-HIST-07'], { requests: 5, generations: 1, chats: 1 }),
    async ({ v3, session, prompts, scenario }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      // The document does not show this form, which clients of the contract use.
      const item = { role: 'user', content: prompts.brief(nonce) }
      const reply = await v3.generate(v3.generateBody(chat, [item]), { role: 'probe' })
      if (!isDeclined(reply)) await claimTurnKept(scenario, chat, nonce, reply)
    },
  )

  test(
    'responses to invalid fields',
    covers(['V3-GEN-13'], { requests: 4, generations: 1, chats: 1 }),
    async ({ v3, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const doubtful = {
        'a chat_id that is not a UUID': v3.generateBody('nowhere', prompts.brief()),
        'no model_id': v3.generateBody(chat, prompts.brief(), { model_id: undefined }),
      }
      await session.waitForOthers()
      for (const [what, body] of Object.entries(doubtful)) {
        const probe = await v3.generate(body, { role: 'probe' })
        const question = what === 'no model_id' ? 'OPEN-10' : 'OPEN-22'
        session.observe(question, `${what}: ${probe.response?.status}`, [probe])
        if (!isDeclined(probe)) continue
        const isRefusal = () =>
          expect(probe.response?.status, `status with ${what}`).toBeLessThan(500)
        claim('V3-GEN-13', isRefusal, probe)
      }
    },
  )
})

/** Types of the output items, each once, as one text. */
function itemTypesOf({ output }: Readonly<Record<string, unknown>>): string {
  const items = Array.isArray(output) ? output : []
  const types = items.map((item) => (isObject(item) ? String(item['type']) : typeof item))
  return [...new Set(types)].sort().join()
}

/** Sections 2.1 and 4.3: images and video in the input, and the model for them. */
describe('v3: media', () => {
  test(
    'an input MAY carry a video, and its turn MUST be kept',
    covers(['V3-GEN-08', 'V3-HIST-07'], { requests: 6, generations: 1, chats: 1 }),
    async ({ v3, claim, profile, session, prompts, scenario }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      // The document shows only the parts input_text and input_image.
      const guess = { type: 'input_video', video_url: '{url}' }
      const video = fill(profile.requests.video ?? guess, { url: sampleVideo })
      const message = inputText(`${prompts.picture()} ${prompts.note(nonce)}`)
      const input = [{ ...message, content: [...message.content, video] }]
      const model_id = profile.models.vision
      const reply = await v3.generate(v3.generateBody(chat, input, { model_id }))
      if (isDeclined(reply) && profile.requests.video === undefined) {
        const reason =
          'the guessed part for a video was rejected: set requests.video in the target profile'
        return session.markUndecided('unproven', ['V3-GEN-08'], reason)
      }
      claim('V3-GEN-08', () => expectResponse(reply, 'a generation with a video'), reply)
      if (!isDeclined(reply)) await claimTurnKept(scenario, chat, nonce, reply)
    },
  )
})
