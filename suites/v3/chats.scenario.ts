import {
  bodyJson,
  contains,
  covers,
  describe,
  expect,
  expectAccepted,
  expectResponse,
  given,
  shapeOf,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'

/** Sections 2.5, 3 and 9: a chat is created, and it is v3. */
describe('v3: chats', () => {
  test(
    'POST /chat creates a v3 chat',
    covers(['V3-CHAT-01', 'V3-CHAT-03'], { requests: 6, generations: 1, chats: 2 }),
    async ({ v3, claim, session }) => {
      const created = await v3.postChat(session.name())
      const id = v3.idOfNewChat(created)
      if (id) v3.deleteAfterwards(id)
      const another = await v3.postChat(session.name(), {}, { role: 'arrange' })
      const otherId = v3.idOfNewChat(another)
      if (otherId && otherId !== id) v3.deleteAfterwards(otherId)
      const made = claim(
        'V3-CHAT-01',
        () => {
          expectAccepted(created, 'POST /chat with a name')
          expect(id, 'the UUID of the chat in the answer').toBeDefined()
          expectAccepted(another, 'POST /chat with another name')
          expect(otherId, 'the UUID of the second chat').toBeDefined()
          expect(otherId, 'the UUID of the second chat').not.toBe(id)
        },
        created,
        another,
      )
      given(made && id, 'no chat was created', created)
      session.observe('OPEN-13', `POST /chat: ${created.response?.status} ${shapeOf(created)}`, [
        created,
      ])

      const history = await v3.history(id)
      const reply = await v3.generate(v3.turn(id, 'Name a colour.'))
      claim(
        'V3-CHAT-03',
        () => {
          expectAccepted(history, 'v3 history of the new chat')
          expectResponse(reply, 'v3 generation in the new chat')
        },
        history,
        reply,
      )
    },
  )

  test(
    'POST /chat yields a v3 chat whatever the body says',
    covers(['VER-01'], { requests: 4, generations: 1, chats: 1 }),
    async ({ v3, claim, session }) => {
      const created = await v3.postChat(session.name(), { version: 'v2' })
      session.observe('OPEN-12', `POST /chat with version v2: ${created.response?.status}`, [
        created,
      ])
      given(succeeded(created), 'a body with a version is refused, which is legal', created)
      const id = v3.idOfNewChat(created)
      given(id, 'the answer to POST /chat shows no id of a chat', created)
      v3.deleteAfterwards(id)

      const history = await v3.history(id)
      const reply = await v3.generate(v3.turn(id, 'Name a colour.'))
      claim(
        'VER-01',
        () => {
          expectAccepted(history, 'v3 history of the new chat')
          expectAccepted(reply, 'v3 generation in the new chat')
          expect(contains(bodyJson(created), 'v2'), 'the answer calls the chat v2').toBe(false)
        },
        created,
        history,
        reply,
      )
    },
  )
})
