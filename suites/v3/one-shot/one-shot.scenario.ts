import {
  answerJson,
  answerText,
  assume,
  contains,
  covers,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  expectResponse,
  inputText,
  isDeclined,
  isUuid,
  leavesOf,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { describeForm } from '../../support/forms.ts'
import { buildRecall } from '../../support/recall.ts'
import { modelAliases, visionModels } from '../../support/test-data.ts'

/** Section 4.3: POST /message/one-shot, an answer without a stored chat. */
describe('v3: one-shot', () => {
  test(
    'a one-shot answers unstreamed, without an Idempotency-Key',
    covers(['V3-ONE-01', 'V3-ONE-03'], { requests: 2, generations: 1 }, 1),
    async ({ oneShot, claim, session, prompts }) => {
      const body = oneShot.body(prompts.reasoned())
      const reply = await oneShot.send(body)
      // Where a key is wanted all the same, that is one breach, and the form of the answer another.
      const headers = { 'idempotency-key': session.uuid() }
      const keyed = succeeded(reply) ? reply : await oneShot.send(body, { headers })
      claim('V3-ONE-01', () => expectResponse(keyed, 'a one-shot'), keyed)
      claim('V3-ONE-03', () => expectResponse(reply, 'a one-shot without Idempotency-Key'), reply)
    },
  )

  test(
    'a one-shot is streamed as events',
    covers(['V3-ONE-02', 'V3-SSE-01', 'V3-SSE-08', 'V3-SSE-17'], { requests: 1, generations: 1 }),
    async ({ oneShot, claim, prompts }) => {
      const reply = await oneShot.send(
        oneShot.body(prompts.sentences(2, 'bread is made'), { stream: true }),
      )
      claim('V3-ONE-02', () => {
        expectAccepted(reply, 'a one-shot with stream: true')
        const names = reply.events.map((event) => event.name)
        expect(names, 'events').toContain('response.created')
        expect(names, 'events').toContain('response.completed')
      })
    },
  )

  test(
    'the deprecated field content is accepted',
    covers(['V3-ONE-04'], { requests: 2, generations: 2 }, 3),
    async ({ oneShot, claim, profile, session }) => {
      const nonce = session.nonce()
      const { tell, ask } = buildRecall(profile, nonce)
      const content = `${tell} ${ask}`
      const knows = (reply: Exchange) => answerText(reply)?.includes(nonce) ?? false
      let reply = await oneShot.send(oneShot.body(undefined, { content }))
      const answered = claim('V3-ONE-04', () => {
        expectResponse(reply, 'a one-shot with content in place of input')
        expect(answerText(reply), 'the text of the answer').toBeTypeOf('string')
      })
      const streamed = await oneShot.send(oneShot.body(undefined, { content, stream: true }))
      const taken = () =>
        expectAccepted(streamed, 'a one-shot with content in place of input (stream)')
      if (answered) claim('V3-ONE-04', taken, streamed, reply)
      if (!answered || knows(reply)) return

      // The text may have been ignored: it was, if the model makes something of it as input.
      const able = await oneShot.sendOk(oneShot.body(content))
      assume(knows(able), 'the model does not give back a fact from the same message', able)
      for (let tries = 1; tries < 3 && !knows(reply); tries += 1) {
        reply = await oneShot.sendOk(oneShot.body(undefined, { content }), { role: 'act' })
      }
      claim(
        'V3-ONE-04',
        () => expect(knows(reply), 'the answer contains the fact that content states').toBe(true),
        reply,
        able,
      )
    },
  )

  test(
    'input may be an array of items',
    covers(['V3-ONE-10'], { requests: 1, generations: 1 }),
    async ({ oneShot, claim, prompts }) => {
      const reply = await oneShot.send(
        oneShot.body([
          inputText(prompts.instruction(prompts.instruction('Be brief.')), 'system'),
          inputText(prompts.brief()),
        ]),
      )
      claim('V3-ONE-10', () => expectResponse(reply, 'a one-shot with an array of items'))
    },
  )

  for (const [row, title, modelsOf] of [
    ['V3-MODEL-01', 'every accepted id of the main model works on one-shot', modelAliases],
    ['V3-MODEL-02', 'the vision model works on one-shot', visionModels],
  ] as const) {
    test(
      title,
      covers([row], { requests: 2, generations: 1 }),
      async ({ oneShot, claim, profile, prompts }) => {
        const right = oneShot.body(prompts.brief())
        for (const model of modelsOf(profile)) {
          const reply = await oneShot.send({ ...right, model_id: model })
          // That there are one-shots at all is for another row.
          if (!succeeded(reply)) await oneShot.sendOk(right, { role: 'control' })
          claim(row, () => expectAccepted(reply, `a one-shot with model_id ${model}`), reply)
        }
      },
    )
  }

  test(
    'a one-shot stores no chat',
    covers(['V3-ONE-09'], { requests: 43, generations: 2, chats: 1 }),
    async ({ oneShot, v3, chats, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const before = await chats.walk({}, [chat])
      assume(before.pagesWith(chat.id).length > 0, 'the list does not show a chat that exists')
      const nonce = session.nonce()
      const question = prompts.brief(nonce)
      const whole = await oneShot.sendOk(oneShot.body(question))
      const stream = await oneShot.sendOk(oneShot.body([inputText(question)], { stream: true }))
      const found = await chats.readList({ search: nonce })
      const after = await chats.walkOnce({}, [chat])
      // A chat that is called by none of its words gives itself away by its history.
      const idsBefore = new Set(idsIn(before.body))
      const histories: Exchange[] = [await v3.history(chat)]
      for (const id of idsIn(after.body).filter((one) => !idsBefore.has(one))) {
        histories.push(await v3.history(id))
      }
      claim(
        'V3-ONE-09',
        () => {
          for (const list of [found, after]) {
            expect(
              contains(list.body, nonce),
              'the list shows a chat with the words of the one-shot',
            ).toBe(false)
          }
          const kept = histories.filter((history) => contains(answerJson(history), nonce))
          expect(kept.length, 'chats whose history contains the one-shot').toBe(0)
        },
        found,
        after,
        whole,
        stream,
        ...histories.filter((history) => contains(answerJson(history), nonce)),
      )
    },
  )

  test(
    'a one-shot with a field of another type is refused',
    covers(['V3-ONE-12'], { requests: 24, generations: 2, chats: 1 }),
    async ({ oneShot, v3, expectRejected, prompts }) => {
      const chat = await v3.createChat()
      const wrong = {
        model_id: { id: 'model' },
        input: { text: prompts.brief() },
        runs: 'none',
        stream: { on: false },
        assistant_id: { id: 'searcher' },
        rag: 7,
      }
      for (const stream of [false, true]) {
        const right = oneShot.body(prompts.brief(), { stream })
        const control = await oneShot.send(right, { role: 'control' })
        for (const [field, value] of Object.entries(wrong)) {
          if (stream && !['input', 'runs', 'rag'].includes(field)) continue
          await expectRejected({
            row: 'V3-ONE-12',
            control,
            what: `${field}: ${JSON.stringify(value)}${describeForm({ stream })}`,
            send: () => oneShot.send({ ...right, [field]: value }, { role: 'negative' }),
            ping: () => v3.ping(chat),
          })
        }
      }
    },
  )

  test(
    'response of one-shot to both tool lists',
    covers(['V3-ONE-01'], { requests: 1, generations: 1 }),
    async ({ oneShot, session, prompts }) => {
      const lists = { exclude_tools: ['get_weather'], include_tools: ['get_time'] }
      const probe = await oneShot.send(oneShot.body(prompts.brief(), lists), { role: 'probe' })
      session.observe(
        'OPEN-37',
        isDeclined(probe) ? `refused with ${probe.response?.status}` : 'accepted',
        [probe],
      )
    },
  )
})

/** The UUIDs that an answer shows, without those that are shown twice. */
function idsIn(body: unknown): string[] {
  const texts = leavesOf(body).map(({ value }) => value)
  return [...new Set(texts.filter(isUuid))]
}
