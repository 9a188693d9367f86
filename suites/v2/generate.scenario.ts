import {
  answerJson,
  covers,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  leavesOf,
  requireProfile,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { replyToUnanswered } from '../support/v2-replies.ts'

/** Section 4.2: POST /message/generate answers a stored message. */
describe('v2: generation', () => {
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
})

/** Every `name` in an answer, at whatever depth. */
function namesIn(answer: Exchange): unknown[] {
  const leaves = leavesOf(answerJson(answer))
  return leaves.filter(({ path }) => path.at(-1) === 'name').map(({ value }) => value)
}
