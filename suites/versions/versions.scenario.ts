import {
  answerJson,
  answerText,
  assume,
  type Chat,
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
import { ownTitle } from '../support/chat-names.ts'
import { buildRecall } from '../support/recall.ts'
import { claimRefused, claimRefusedAs, statedVersions } from '../support/refusals.ts'
import {
  claimNotTakenFromSecond,
  furtherTurns,
  otherIdOf,
  v3Calls,
  visionIdOf,
} from './v3-calls.ts'

/** Sections 3, 7 and 9: each surface refuses chats of the other unchanged and names the right surface. */
describe('versions of chats', () => {
  test(
    'an update MUST NOT change the version of a chat',
    covers(['VER-02'], { requests: 10, generations: 1, chats: 1 }),
    async ({ v3, chats, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const isRead = (_: unknown, read: Exchange) => succeeded(read)
      const before = statedVersions(await chats.poll(() => chats.get(chat.id), isRead), chat.id)
      for (const body of [{ version: 'v2' }, { name: session.name(), version: 'v2' }]) {
        const patched = await chats.patch(chat.id, body, { role: 'probe' })
        const { status } = patched.response ?? {}
        session.observe('OPEN-12', `PATCH /chat with version v2: ${status}`, [patched])
      }
      const after = await chats.get(chat.id)
      const history = await chats.poll(() => v3.history(chat), isRead)
      const reply = await v3.generate(v3.generateBody(chat, prompts.brief()))
      const stated = statedVersions(after, chat.id)
      const isSame = () => {
        // Open: where a chat shows its version.
        if (before.length > 0 && !before.includes('v2'))
          expect(stated, 'versions that the chat shows after the update').not.toContain('v2')
        expectAccepted(history, 'v3 history after the update')
        expectAccepted(reply, 'v3 generation after the update')
      }
      claim('VER-02', isSame, after, history, reply)
    },
  )

  test(
    'v3 routes MUST refuse a v2 chat, MUST name /api/v2 and MUST leave the chat as it is',
    covers(['VER-03', 'VER-04', 'VER-05', 'VER-06', 'VER-10'], {
      requests: 58,
      generations: 2,
      chats: 2,
      again: 4,
    }),
    async ({ v2, v3, chats, claim, session, profile, prompts, scenario }) => {
      const before = await v2.chat()
      const nonce = session.nonce()
      const { messageId } = await v2.storeAndGenerate(before, prompts.brief(nonce))
      const { ask } = buildRecall(profile, nonce)
      // Open: whether a message that has its reply takes another one.
      const store = (more: Readonly<Record<string, string>>) =>
        v2.message(v2.messageBody(before, ask, more), { role: 'probe' })
      const child = await store({ parent_id: messageId })
      const question = succeeded(child) ? child : await store({})
      const mine = await v3.createChat()
      const history = await v3.history(mine)
      assume(succeeded(history), 'v3 history does not work for a v3 chat', history)
      const wasFavorite = contains((await chats.readFavorites()).body, before)
      const secrets = [session.nonce(), session.nonce()] as const

      for (const further of furtherTurns(scenario)) {
        const turn = (chat: Chat | string) => v3.generateBody(chat, prompts.brief(), further)
        const answer = await v3.generate(turn(before), { role: 'negative' })
        await claimRefusedAs(
          scenario,
          'VER-04',
          'a generation with more fields',
          answer,
          'v2',
          () => v3.generate(turn(mine)),
        )
      }

      // A chat without messages has its version as well.
      const isMade = profile.v2Chat !== undefined && 'create' in profile.v2Chat
      // Last, as the last of them asks to delete the chat.
      for (const chat of [...(isMade ? [await v2.chat()] : []), before]) {
        for (const [requirement, what, send, sendTwin] of v3Calls(scenario, secrets, mine)) {
          const twin = sendTwin ?? (() => send(mine.id))
          await claimRefusedAs(scenario, requirement, what, await send(chat), 'v2', twin)
        }
      }

      await claimNotTakenFromSecond(scenario)
      const favorites = await chats.readFavorites()
      const isFavorite = contains(favorites.body, before)
      const turn = v2.generateBody(before, v2.storedId(question))
      const after = await v2.generate(turn, { role: 'probe' })
      const remembered = secrets.filter((secret) => answerText(after)?.includes(secret))
      const isKept = () => {
        expect(succeeded(after), 'the v2 chat is answered as before').toBe(true)
        expect(remembered, 'what the v2 chat knows of refused generations').toEqual([])
        expect(isFavorite === wasFavorite, 'the v2 chat keeps its favorite mark').toBe(true)
      }
      claim('VER-06', isKept, after, question, favorites)
    },
  )

  test(
    'v2 routes MUST refuse a v3 chat, MUST name /api/v3 and MUST leave the chat as it is',
    covers(['VER-07', 'VER-08', 'VER-09', 'VER-10'], {
      requests: 33,
      generations: 2,
      chats: 2,
      isLong: true,
    }),
    async ({ v2, v3, chats, claim, session, profile, prompts, scenario }) => {
      const own = await v2.chat()
      const able = await v2.storeAndGenerate(own, prompts.brief())
      assume(succeeded(able.reply), 'v2 does not work for a v2 chat')
      // A message that already has a reply may be refused for that reason.
      const unanswered = await v2.storeOk(own, prompts.otherBrief())
      const chat = await v3.createChat()
      await v3.generateOk(v3.generateBody(chat, prompts.brief()))
      // The answer may be stored after it was sent.
      await v3.waitForHistory(
        chat,
        (rows) => inputRows(rows).length > 0 && rows.length > inputRows(rows).length,
      )
      const showsName = (read: Exchange) => succeeded(read) && contains(answerJson(read), chat.name)
      // A turn may give its chat a name, and its last rows may be shown later than the others.
      await session.sleep(session.settling.ms)
      const before = await v3.walk(chat)
      const isNamed = showsName(await chats.get(chat.id))

      const role = { role: 'negative' } as const
      const nonce = session.nonce()
      const message = v2.messageBody(chat.id, prompts.brief(nonce))
      const stored = await v2.message(message, role)
      const reply = await v2.generate(v2.generateBody(chat.id, unanswered.id), role)
      claimRefused(scenario, 'VER-07', 'POST /api/v2/message', stored, 'v3')
      claimRefused(scenario, 'VER-08', 'POST /api/v2/message/generate', reply, 'v3')
      const vision = {
        model_id: visionIdOf(profile),
        assistant_id: profile.assistants?.withoutKnowledge,
      }
      // A chat without a turn has its version as well.
      const unused = await v3.createChat()
      const bodies = [
        { ...message, chat_id: chat.id, ...vision, think: true, rag: 'agent' },
        { ...message, chat_id: chat.id, attachments: [], think: false, rag: false },
        { ...message, chat_id: unused.id, model_id: otherIdOf(profile) },
      ]
      const further: Exchange[] = []
      for (const body of bodies) further.push(await v2.message(body, role))
      const list = await chats.readList({ limit: 100 }, 100)
      const isNoName = () =>
        expect(contains(list.body, nonce), 'a chat is named after a refused message').toBe(false)
      if ([stored, ...further].every(isDeclined)) claim('VER-09', isNoName, stored, ...list.pages)
      for (const [at, body] of bodies.entries()) {
        const what = body.chat_id === chat.id ? 'with more fields' : 'in a new chat'
        const answer = further[at] ?? stored
        await claimRefusedAs(scenario, 'VER-07', `a message ${what}`, answer, 'v3', () =>
          v2.message({ ...body, chat_id: own }),
        )
      }
      const fields = { model_id: otherIdOf(profile), rag: false, exclude_tools: [] }
      const turn = (of: string, id: string) => v2.generate(v2.generateBody(of, id, fields), role)
      const refused = await turn(chat.id, unanswered.id)
      await claimRefusedAs(scenario, 'VER-08', 'a generation with more fields', refused, 'v3', () =>
        turn(own, unanswered.id),
      )

      const { rows, pages } = await v3.historyAfterPause(chat)
      const isSame = () => expect(rows.length, 'rows of the v3 chat').toBe(before.rows.length)
      claim('VER-09', isSame, stored, reply, ...pages)
      if (!isNamed) return
      const read = await chats.get(chat.id)
      // The chat may have named itself after its turn, but not after a refused message.
      const title = await ownTitle(scenario, read, chat)
      if (title !== undefined && !title.includes(nonce)) return
      const keepsName = () => expect(showsName(read), 'the v3 chat still has its name').toBe(true)
      claim('VER-09', keepsName, read, stored, reply)
    },
  )
})
