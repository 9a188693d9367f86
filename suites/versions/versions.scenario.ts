import { namesOf } from '../../contract/index.ts'
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
  inputRows,
  isDeclined,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { buildRecall } from '../support/recall.ts'
import { hintText, namesPrefix, statedVersions } from '../support/refusals.ts'
import { buildTextFile } from '../support/test-data.ts'

/** Sections 3, 7 and 9: each surface refuses a chat of the other, says where it belongs, and leaves it alone. */
describe('versions of chats', () => {
  test(
    'no update changes the version of a chat',
    covers(['VER-02'], { requests: 10, generations: 1, chats: 1 }),
    async ({ v3, chats, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const before = statedVersions(await chats.get(chat.id), chat.id)
      for (const body of [{ version: 'v2' }, { name: session.name(), version: 'v2' }]) {
        const patched = await chats.patch(chat.id, body, { role: 'probe' })
        session.observe('OPEN-12', `PATCH /chat with version v2: ${patched.response?.status}`, [
          patched,
        ])
      }
      const after = await chats.get(chat.id)
      const history = await v3.history(chat)
      const reply = await v3.generate(v3.generateBody(chat, prompts.brief()))
      claim(
        'VER-02',
        () => {
          // Where a chat shows its version at all is open.
          if (before.length > 0 && !before.includes('v2')) {
            expect(
              statedVersions(after, chat.id),
              'versions that the chat shows after the update',
            ).not.toContain('v2')
          }
          expectAccepted(history, 'v3 history after the update')
          expectAccepted(reply, 'v3 generation after the update')
        },
        after,
        history,
        reply,
      )
    },
  )

  test(
    'v3 routes refuse a v2 chat and name /api/v2',
    covers(['VER-03', 'VER-04', 'VER-05', 'VER-06', 'VER-10'], {
      requests: 29,
      generations: 2,
      chats: 1,
    }),
    async ({ v2, v3, chats, attachments, claim, session, profile, prompts }) => {
      const before = await v2.chat()
      const nonce = session.nonce()
      const { messageId } = await v2.storeAndGenerate(before, prompts.brief(nonce))
      const mine = await v3.createChat()
      assume(succeeded(await v3.history(mine)), 'v3 history does not work for a v3 chat')

      const refuse = (
        requirement: 'VER-03' | 'VER-04' | 'VER-05',
        what: string,
        exchange: Exchange,
      ) => {
        session.observe('OPEN-18', `${what}: ${exchange.response?.status}`, [exchange])
        claim(requirement, () => expectHint(exchange, what, namesOf(profile, 'v2')), exchange)
        claim(
          'VER-10',
          () => expect(exchange.response?.status, `status of ${what}`).toBeLessThan(500),
          exchange,
        )
      }
      refuse('VER-03', 'GET /message', await v3.history(before, {}, { role: 'negative' }))
      const secrets: string[] = []
      for (const [what, stream] of [
        ['POST /message/generate', false],
        ['POST /message/generate as a stream', true],
      ] as const) {
        const secret = session.nonce()
        const turn = v3.generateBody(before, buildRecall(profile, secret).tell, { stream })
        secrets.push(secret)
        refuse('VER-04', what, await v3.generate(turn, { role: 'negative' }))
      }

      const role = { role: 'negative' } as const
      const wasFavorite = contains((await chats.readFavorites()).body, before)
      refuse('VER-05', 'GET /chat/{chat_id}', await chats.get(before, role))
      refuse('VER-05', 'PATCH /chat/{chat_id}', await chats.rename(before, session.name(), role))
      refuse('VER-05', 'POST /chat/{chat_id}/generate-name', await chats.generateName(before, role))
      refuse('VER-05', 'POST /chat/{chat_id}/favorite', await chats.addFavorite(before, role))
      const favorites = await chats.readFavorites()
      refuse('VER-05', 'DELETE /chat/{chat_id}/favorite', await chats.removeFavorite(before, role))
      if (profile.capabilities.attachments) {
        refuse(
          'VER-05',
          'GET /chat/{chat_id}/attachments',
          await chats.attachments(before, {}, role),
        )
        refuse(
          'VER-05',
          'GET /attachment?chat_id',
          await attachments.list({ chat_id: before }, role),
        )
        // That an upload joins a chat by a field of its form is known of this target alone.
        if (profile.requests.upload?.chatField) {
          const file = buildTextFile(session, nonce)
          refuse('VER-05', 'POST /attachment', await attachments.upload(file, before, role))
        }
      }
      refuse('VER-05', 'DELETE /chat/{chat_id}', await chats.remove(before, role))

      const { ask } = buildRecall(profile, nonce)
      const repeat = await v2.message(v2.messageBody(before, ask, { parent_id: messageId }), {
        role: 'probe',
      })
      const question = succeeded(repeat) ? v2.storedId(repeat) : messageId
      const after = await v2.generate(v2.generateBody(before, question), { role: 'probe' })
      claim(
        'VER-06',
        () => {
          expect(succeeded(after), 'the v2 chat is answered as before').toBe(true)
          for (const secret of secrets) {
            const isRemembered = answerText(after)?.includes(secret) ?? false
            expect(isRemembered, 'the v2 chat knows what a refused generation said').toBe(false)
          }
          const isFavorite = contains(favorites.body, before)
          expect(isFavorite === wasFavorite, 'the v2 chat keeps its favorite mark').toBe(true)
        },
        repeat,
        after,
        favorites,
      )
    },
  )

  test(
    'v2 routes refuse a v3 chat and name /api/v3',
    covers(['VER-07', 'VER-08', 'VER-09', 'VER-10'], { requests: 15, generations: 2, chats: 1 }),
    async ({ v2, v3, chats, claim, session, profile, prompts }) => {
      const own = await v2.chat()
      const able = await v2.storeAndGenerate(own, prompts.brief())
      assume(succeeded(able.reply), 'v2 does not work for a v2 chat')
      // A message that has its reply may be refused for that.
      const unanswered = await v2.storeOk(own, prompts.brief(session.nonce()))
      const chat = await v3.createChat()
      await v3.generateOk(v3.generateBody(chat, prompts.brief()))
      const before = await v3.waitForHistory(chat, (rows) => inputRows(rows).length > 0)

      const showsName = async () => {
        const read = await chats.get(chat.id)
        return { read, isShown: succeeded(read) && contains(answerJson(read), chat.name) }
      }
      const named = await showsName()

      const nonce = session.nonce()
      const stored = await v2.message(v2.messageBody(chat.id, prompts.brief(nonce)), {
        role: 'negative',
      })
      const reply = await v2.generate(v2.generateBody(chat.id, unanswered.id), {
        role: 'negative',
      })
      for (const [requirement, what, exchange] of [
        ['VER-07', 'POST /api/v2/message', stored],
        ['VER-08', 'POST /api/v2/message/generate', reply],
      ] as const) {
        session.observe('OPEN-18', `${what}: ${exchange.response?.status}`, [exchange])
        claim(requirement, () => expectHint(exchange, what, namesOf(profile, 'v3')), exchange)
        claim(
          'VER-10',
          () => expect(exchange.response?.status, `status of ${what}`).toBeLessThan(500),
          exchange,
        )
      }
      const after = await v3.historyAfterPause(chat)
      claim(
        'VER-09',
        () => expect(after.rows.length, 'rows of the v3 chat').toBe(before.rows.length),
        stored,
        reply,
        ...after.pages,
      )
      if (!named.isShown) return
      const { read, isShown } = await showsName()
      const keepsName = () => expect(isShown, 'the v3 chat still has its name').toBe(true)
      claim('VER-09', keepsName, read, stored, reply)
    },
  )
})

/** Declined, and the decoded body names the prefix; naming the other one as well is legal. */
function expectHint(exchange: Exchange, what: string, prefixes: readonly string[]): void {
  expect(isDeclined(exchange), `${what} for a chat of another version is refused`).toBe(true)
  if (!namesPrefix(exchange, prefixes)) {
    expect(hintText(exchange), `the error of ${what}`).toContain(prefixes.at(-1))
  }
}
