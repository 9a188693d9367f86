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
  test,
} from '../../harness/conformance/scenario/index.ts'
import { buildRecall, modelAliases, visionModels } from '../support/test-data.ts'

/** Section 4.2: POST /message/generate answers a stored message. */
describe('v2: generation', () => {
  test(
    'a stored message is answered',
    covers(['V2-GEN-01'], { requests: 3, generations: 1 }),
    async ({ v2, claim, session }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, 'Name a colour and say why you like it.')
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
    covers(['V2-GEN-02', 'V2-MSG-15'], { requests: 9, generations: 1 }),
    async ({ v2, expectRejected, session }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, 'Name a colour.')
      const right = v2.generateBody(chat, id)
      const control = await v2.generate(right, { role: 'control' })
      for (const field of ['chat_id', 'parent_id', 'model_id']) {
        const send = () => v2.generate({ ...right, [field]: undefined }, { role: 'negative' })
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
    covers(['V2-GEN-05', 'V2-MSG-15'], { requests: 13, generations: 1 }),
    async ({ v2, expectRejected }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, 'Name a colour.')
      const right = v2.generateBody(chat, id)
      const control = await v2.generate(right, { role: 'control' })
      const wrong = {
        chat_id: { id: chat },
        parent_id: { id },
        model_id: { id: 'model' },
        exclude_tools: { tool: 'get_time' },
      }
      for (const [field, value] of [...Object.entries(wrong), ['exclude_tools', [7]] as const]) {
        const send = () => v2.generate({ ...right, [field]: value }, { role: 'negative' })
        const what = `${field}: ${JSON.stringify(value)}`
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
    covers(['V2-GEN-03', 'V2-MSG-15'], { requests: 5, generations: 1 }),
    async ({ v2, expectRejected, session }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, 'Name a colour.')
      const control = await v2.generate(
        v2.generateBody(chat, id, { exclude_tools: ['get_weather'] }),
        {
          role: 'control',
        },
      )
      const lists = { exclude_tools: ['get_weather'], include_tools: ['get_time'] }
      const refused = await expectRejected({
        row: 'V2-GEN-03',
        noServerError: 'V2-MSG-15',
        control,
        what: 'include_tools and exclude_tools',
        send: () => v2.generate(v2.generateBody(chat, id, lists), { role: 'negative' }),
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
    'the chain of parent_id gives the model its context',
    covers(['V2-CTX-01', 'V2-CTX-02'], { requests: 16, generations: 4 }, 2),
    async ({ v2, claim, profile, session }) => {
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
      const between = await v2.storeAndGenerate(chat, 'Name a colour.', { parent_id: stored.id })
      let known = false
      let { reply } = between
      for (let tries = 0; tries < 3 && !known; tries += 1) {
        reply = (await v2.storeAndGenerate(chat, ask, { parent_id: between.messageId })).reply
        known = answerText(reply)?.includes(nonce) ?? false
      }
      claim(
        'V2-CTX-01',
        () => expect(known, 'the fact of an earlier message of the chain is known').toBe(true),
        stored.exchange,
        reply,
      )

      const other = await v2.chat()
      assume(other !== chat, 'the profile names a single v2 chat, so none is fresh')
      const fresh = (await v2.storeAndGenerate(other, ask)).reply
      claim(
        'V2-CTX-02',
        () => expect(answerText(fresh), 'the answer in a fresh chat').not.toContain(nonce),
        stored.exchange,
        fresh,
      )
    },
  )

  for (const [row, title, modelsOf] of [
    ['V2-MODEL-01', 'every accepted id of the main model works on v2', modelAliases],
    ['V2-MODEL-02', 'the vision model works on v2', visionModels],
  ] as const) {
    test(title, covers([row], { requests: 3, generations: 1 }), async ({ v2, claim, profile }) => {
      const chat = await v2.chat()
      for (const model of modelsOf(profile)) {
        const body = v2.messageBody(chat, 'Name a colour.', { model_id: model })
        const stored = await v2.message(body)
        const taken = () => expectAccepted(stored, `a message with model_id ${model}`)
        if (!claim(row, taken, stored)) continue
        const turn = v2.generateBody(chat, v2.storedId(stored), { model_id: model })
        const reply = await v2.generate(turn)
        claim(row, () => expectAccepted(reply, `model_id ${model}`), reply)
      }
    })
  }
})

/** Every `name` in an answer, at whatever depth. */
function namesIn(answer: Exchange): unknown[] {
  const leaves = leavesOf(answerJson(answer))
  return leaves.filter(({ path }) => path.at(-1) === 'name').map(({ value }) => value)
}
