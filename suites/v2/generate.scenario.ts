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

/** Section 4.2: POST /message/generate answers a stored message. */
describe('v2: generation', () => {
  test(
    'a v2 generation with exclude_tools MUST be answered',
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
