import {
  answerJson,
  answerText,
  assume,
  bodyJson,
  covers,
  describe,
  describeShape,
  type Exchange,
  expect,
  expectAccepted,
  isObject,
  leavesOf,
  requireProfile,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { assumeGivesBack, buildRecall } from '../support/recall.ts'
import { modelAliases, visionModels } from '../support/test-data.ts'
import { replyToUnanswered } from '../support/v2-replies.ts'

/** Section 4.2: POST /message/generate answers a stored message. */
describe('v2: generation', () => {
  test(
    'a stored message gets a generated answer',
    covers(['V2-GEN-01'], { requests: 3, generations: 1 }),
    async ({ v2, claim, session, prompts }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, prompts.reasoned())
      const reply = await v2.generate(v2.generateBody(chat, id))
      claim('V2-GEN-01', () => {
        expectAccepted(reply, 'a generation')
        expect(isObject(bodyJson(reply)), 'the answer is a JSON object').toBe(true)
        expect(answerText(reply), 'message.content').toBeTypeOf('string')
      })
      session.observe('OPEN-01', describeShape(reply), [reply])
    },
  )

  test(
    'a v2 generation without a required field is refused',
    covers(['V2-GEN-02', 'V2-MSG-15'], { requests: 11, generations: 1, chats: 1 }),
    async ({ v2, expectRejected, session, prompts }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, prompts.brief())
      const right = v2.generateBody(chat, id)
      const control = await v2.generate(right, { role: 'control' })
      const sendReply = await replyToUnanswered(v2, { prompts }, right)
      for (const field of ['chat_id', 'parent_id', 'model_id']) {
        const send = () => sendReply((body) => ({ ...body, [field]: undefined }))
        const what = `no ${field}`
        const refused = await expectRejected({
          row: 'V2-GEN-02',
          noServerError: 'V2-MSG-15',
          control,
          what,
          send,
          ping: () => v2.ping(chat),
        })
        session.observe('OPEN-22', `v2 generation, ${what}: ${refused.response?.status}`, [refused])
      }
    },
  )

  test(
    'a v2 generation with a field of another type is refused',
    covers(['V2-GEN-05', 'V2-MSG-15'], { requests: 15, generations: 1, chats: 1 }),
    async ({ v2, expectRejected, prompts }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, prompts.brief())
      const right = v2.generateBody(chat, id)
      const control = await v2.generate(right, { role: 'control' })
      const sendReply = await replyToUnanswered(v2, { prompts }, right)
      const inObject = (value: unknown) => ({ id: value })
      const mistakes = [
        ['chat_id', 'as an object', inObject],
        ['parent_id', 'as an object', inObject],
        ['model_id', 'as an object', inObject],
        ['exclude_tools', 'as an object', () => ({ tool: 'get_time' })],
        ['exclude_tools', 'with a number', () => [7]],
      ] as const
      for (const [field, mistake, wrongOf] of mistakes) {
        const send = () => sendReply((body) => ({ ...body, [field]: wrongOf(body[field]) }))
        const what = `${field} ${mistake}`
        await expectRejected({
          row: 'V2-GEN-05',
          noServerError: 'V2-MSG-15',
          control,
          what,
          send,
          ping: () => v2.ping(chat),
        })
      }
    },
  )

  test(
    'both tool lists at once are refused',
    covers(['V2-GEN-03', 'V2-MSG-15'], { requests: 7, generations: 1, chats: 1 }),
    async ({ v2, expectRejected, session, prompts }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, prompts.brief())
      const control = await v2.generate(
        v2.generateBody(chat, id, { exclude_tools: ['get_weather'] }),
        {
          role: 'control',
        },
      )
      const lists = { exclude_tools: ['get_weather'], include_tools: ['get_time'] }
      const sendReply = await replyToUnanswered(v2, { prompts }, v2.generateBody(chat, id))
      const refused = await expectRejected({
        row: 'V2-GEN-03',
        noServerError: 'V2-MSG-15',
        control,
        what: 'include_tools and exclude_tools',
        send: () => sendReply((body) => ({ ...body, ...lists })),
        ping: () => v2.ping(chat),
      })
      session.observe('OPEN-21', `v2: ${refused.response?.status}`, [refused])
    },
  )

  test(
    'a generation with exclude_tools is answered',
    covers(['V2-GEN-04'], { requests: 4, generations: 1 }),
    async ({ v2, claim, profile }) => {
      const { name, ask } = profile.tools ?? {}
      requireProfile(name, 'tools.name')
      requireProfile(ask, 'tools.ask')
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, ask)
      const reply = await v2.generate(v2.generateBody(chat, id, { exclude_tools: [name] }))
      claim('V2-GEN-04', () => {
        expectAccepted(reply, 'a generation with exclude_tools')
        expect(namesIn(reply), 'names of calls in the answer').not.toContain(name)
      })
    },
  )

  test(
    'the model knows the messages of the parent_id chain',
    covers(['V2-CTX-01', 'V2-CTX-02'], { requests: 17, generations: 4 }, 6),
    async ({ v2, claim, profile, session, prompts }) => {
      const nonce = session.nonce()
      const { tell, ask } = buildRecall(profile, nonce)
      const able = await v2.storeAndGenerate(await v2.chat(), `${tell} ${ask}`)
      assume(
        answerText(able.reply)?.includes(nonce),
        'the model does not give back a fact from the same message',
        able.reply,
      )

      const chat = await v2.chat()
      const stored = await v2.storeOk(chat, tell)
      // The fact stands two links away, so that a chain of one link does not look like a whole one.
      const between = await v2.storeAndGenerate(chat, prompts.brief(), { parent_id: stored.id })
      let isRemembered = false
      let { reply } = between
      for (let tries = 0; tries < 3 && !isRemembered; tries += 1) {
        const link = { parent_id: between.messageId }
        const question = await v2.storeOk(chat, ask, link)
        // A later message, which is not the one to answer. Whether a chat may branch is not shown.
        const later = v2.messageBody(chat, prompts.otherBrief(), link)
        const branch = await v2.message(later, { role: 'probe' })
        reply = await v2.generate(v2.generateBody(chat, question.id), { role: 'arrange' })
        if (!succeeded(reply) && succeeded(branch)) {
          reply = (await v2.storeAndGenerate(chat, ask, link)).reply
        }
        assume(succeeded(reply), `a v2 generation was refused with ${statusText(reply)}`, reply)
        isRemembered = answerText(reply)?.includes(nonce) ?? false
      }
      if (!isRemembered) {
        const chain = [tell, prompts.brief(), answerText(between.reply), ask]
        const send = async (text: string) =>
          (await v2.storeAndGenerate(await v2.chat(), text)).reply
        await assumeGivesBack(nonce, chain, send)
      }
      claim(
        'V2-CTX-01',
        () =>
          expect(
            isRemembered,
            'the answer contains the fact of an earlier message of the chain',
          ).toBe(true),
        reply,
        stored.exchange,
      )

      const other = await v2.chat()
      assume(other !== chat, 'the profile names a single v2 chat, so none is fresh')
      const otherReply = (await v2.storeAndGenerate(other, ask)).reply
      claim(
        'V2-CTX-02',
        () => expect(answerText(otherReply), 'the answer in a fresh chat').not.toContain(nonce),
        otherReply,
        stored.exchange,
      )
    },
  )

  for (const [row, title, modelsOf] of [
    ['V2-MODEL-01', 'every accepted id of the main model works on v2', modelAliases],
    ['V2-MODEL-02', 'the vision model works on v2', visionModels],
  ] as const) {
    test(
      title,
      covers([row], { requests: 3, generations: 1 }),
      async ({ v2, claim, profile, prompts }) => {
        const chat = await v2.chat()
        for (const model of modelsOf(profile)) {
          const body = v2.messageBody(chat, prompts.brief(), { model_id: model })
          const stored = await v2.message(body)
          const taken = () => expectAccepted(stored, `a message with model_id ${model}`)
          if (!claim(row, taken, stored)) continue
          const turn = v2.generateBody(chat, v2.storedId(stored), { model_id: model })
          const reply = await v2.generate(turn)
          claim(row, () => expectAccepted(reply, `model_id ${model}`), reply)
        }
      },
    )
  }
})

/** Every `name` in an answer, at whatever depth. */
function namesIn(answer: Exchange): unknown[] {
  const leaves = leavesOf(answerJson(answer))
  return leaves.filter(({ path }) => path.at(-1) === 'name').map(({ value }) => value)
}
