import { namesOf, sentPath } from '../../../contract/index.ts'
import {
  assume,
  covers,
  describe,
  describeShape,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  isResponse,
  succeeded,
  type TargetProfile,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { isContentRefusal, namesPrefix, statedVersions } from '../../support/refusals.ts'

/** Sections 2.5, 3 and 9: a chat is created, and it is v3. */
describe('v3: chats', () => {
  test(
    'POST /chat creates a v3 chat',
    covers(['V3-CHAT-01', 'V3-CHAT-03'], { requests: 6, generations: 1, chats: 2 }),
    async ({ v3, claim, session, profile, prompts }) => {
      const created = await v3.postChat(session.name())
      if (isContentRefusal(created) && profile.requests.createChat === undefined) {
        session.markUndecided(
          'unproven',
          ['V3-CHAT-01', 'V3-CHAT-03'],
          'a name without the other fields was rejected: set requests.createChat in the target profile',
        )
        return
      }
      const id = v3.newChatId(created)
      if (id) v3.deleteOnCleanup(id)
      const another = await v3.postChat(session.name(), {}, { role: 'arrange' })
      const otherId = v3.newChatId(another)
      if (otherId && otherId !== id) v3.deleteOnCleanup(otherId)
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
      assume(made && id, 'no chat was created', created)
      session.observe(
        'OPEN-13',
        `POST /chat: ${created.response?.status} ${describeShape(created)}`,
        [created],
      )

      const history = await v3.history(id)
      const reply = await v3.generate(v3.generateBody(id, prompts.brief()))
      const wrong = sentToV2(profile, history, reply)
      const taken = succeeded(history) && isResponse(reply)
      assume(taken || wrong.length > 0, 'history or generation fails, not for the version', reply)
      claim(
        'V3-CHAT-03',
        () => expect(wrong, 'v3 calls sent to /api/v2').toEqual([]),
        history,
        reply,
      )
    },
  )

  test(
    'POST /chat creates a v3 chat for any body',
    covers(['VER-01'], { requests: 5, generations: 1, chats: 1 }),
    async ({ v3, claim, session, profile, prompts }) => {
      const created = await v3.postChat(session.name(), { version: 'v2' })
      session.observe('OPEN-12', `POST /chat with version v2: ${created.response?.status}`, [
        created,
      ])
      assume(
        (created.response?.status ?? 500) < 500,
        'a body with a version got no answer',
        created,
      )
      const fromBody = v3.newChatId(created)
      if (fromBody) v3.deleteOnCleanup(fromBody)
      // A server may take no such body; what it yields without is v3 then, or nothing is.
      const refused = !succeeded(created)
      const id = refused ? (await v3.createChat()).id : fromBody
      assume(id, 'the answer to POST /chat has no chat id', created)

      const history = await v3.history(id)
      const reply = await v3.generate(v3.generateBody(id, prompts.brief()))
      const wrong = sentToV2(profile, history, reply)
      const taken = succeeded(history) && isResponse(reply)
      assume(taken || wrong.length > 0, 'history or generation fails, not for the version', reply)
      claim(
        'VER-01',
        () => {
          expect(wrong, 'v3 calls sent to /api/v2').toEqual([])
          const stated = refused ? [] : statedVersions(created, id)
          expect(stated, 'versions that the answer states of the chat').not.toContain('v2')
        },
        created,
        history,
        reply,
      )
    },
  )
})

/** The calls that are refused with a hint at the other version: only then is the version to blame. */
function sentToV2(profile: TargetProfile, ...calls: readonly Exchange[]): string[] {
  return calls.flatMap((call) =>
    isDeclined(call) && namesPrefix(call, namesOf(profile, 'v2'))
      ? [`${call.request.method} ${sentPath(call)}`]
      : [],
  )
}
