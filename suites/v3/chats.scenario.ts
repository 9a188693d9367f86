import { namesOf, sentPath } from '../../contract/index.ts'
import {
  answerJson,
  assume,
  covers,
  describe,
  describeShape,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  isResponse,
  isUuid,
  leavesOf,
  type Scenario,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { isContentRefusal, namesPrefix, statedVersions } from '../support/refusals.ts'

/** Sections 2.5, 3, 4.3 and 9: a chat is created, and it is v3; its title. */
describe('v3: chats', () => {
  test(
    'POST /chat MUST create a v3 chat',
    covers(['V3-CHAT-01', 'V3-CHAT-03'], { requests: 6, generations: 1, chats: 2 }),
    async ({ v3, claim, session, profile, scenario }) => {
      const created = await v3.postChat(session.name())
      if (isContentRefusal(created) && profile.requests.createChat === undefined) {
        const reason =
          'a name without the other fields was rejected: set requests.createChat in the target profile'
        return session.markUndecided('unproven', ['V3-CHAT-01', 'V3-CHAT-03'], reason)
      }
      const another = await v3.postChat(session.name(), {}, { role: 'arrange' })
      const [id, otherId] = [created, another].map((answer) => v3.newChatId(answer))
      for (const one of new Set([id, otherId])) if (one) v3.deleteOnCleanup(one)
      const isMade = () => {
        expectAccepted(created, 'POST /chat with a name')
        expect(id, 'the UUID of the chat in the answer').toBeDefined()
        expectAccepted(another, 'POST /chat with another name')
        expect(otherId, 'the UUID of the second chat').toBeDefined()
        expect(otherId, 'the UUID of the second chat').not.toBe(id)
      }
      assume(claim('V3-CHAT-01', isMade, created, another) && id, 'no chat was created', created)
      const shape = `POST /chat: ${statusText(created)} ${describeShape(created)}`
      session.observe('OPEN-13', shape, [created])

      const { wrong, calls } = await useAsV3(scenario, id)
      const isV3 = () => expect(wrong, 'v3 calls sent to /api/v2').toEqual([])
      claim('V3-CHAT-03', isV3, ...calls)
    },
  )

  test(
    'POST /chat MUST create a v3 chat, whatever version its body has',
    covers(['VER-01'], { requests: 5, generations: 1, chats: 1 }),
    async ({ v3, claim, session, scenario }) => {
      const created = await v3.postChat(session.name(), { version: 'v2' })
      const { status } = created.response ?? {}
      session.observe('OPEN-12', `POST /chat with version v2: ${status}`, [created])
      assume((status ?? 500) < 500, 'a body with a version got no usable answer', created)
      const fromBody = v3.newChatId(created)
      if (fromBody) v3.deleteOnCleanup(fromBody)
      // A server may refuse such a body; a chat created without it must then be v3.
      const refused = !succeeded(created)
      const id = refused ? (await v3.createChat()).id : fromBody
      assume(id, 'the answer to POST /chat has no chat id', created)

      const { wrong, calls } = await useAsV3(scenario, id)
      const remainsV3 = () => {
        expect(wrong, 'v3 calls sent to /api/v2').toEqual([])
        const stated = refused ? [] : statedVersions(created, id)
        expect(stated, 'versions that the answer states of the chat').not.toContain('v2')
      }
      claim('VER-01', remainsV3, created, ...calls)
    },
  )

  test(
    'POST /chat/{chat_id}/generate-name MUST generate a title',
    covers(['V3-CHAT-12', 'V3-FAV-01'], { requests: 20, generations: 2, chats: 1 }),
    async ({ v3, chats, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const before = await chats.get(chat.id, { role: 'control' })
      assume(succeeded(before), `the chat cannot be read (${statusText(before)})`, before)
      const turn = v3.generateBody(chat, prompts.sentences(1, 'bread is made'), { stream: true })
      const running = v3.startGenerate(turn, { role: 'arrange' })
      await running.answered
      const added = await chats.addFavorite(chat.id, { role: 'probe' })
      const answer = await running.exchange
      assume(succeeded(answer), `a generation was refused with ${statusText(answer)}`, answer)
      const named = await chats.generateName(chat.id)
      // A title that the chat has given itself may be generated again.
      const textsBefore = textsOf(before)
      const isNew = (text: string) =>
        !(textsBefore.includes(text) || isUuid(text) || isTime.test(text))
      const titlesIn = (page: Exchange) => [...textsOf(named), ...textsOf(page)].filter(isNew)
      const look = () =>
        chats.poll(
          () => chats.get(chat.id),
          (_, page) => !succeeded(named) || titlesIn(page).length > 0,
        )
      let read = await look()
      if (succeeded(named) && titlesIn(read).length === 0) {
        await session.sleep(backgroundMs)
        read = await look()
      }
      const route = 'POST /chat/{chat_id}/generate-name'
      session.observe('OPEN-13', `${route}: ${statusText(named)} ${describeShape(named)}`, [named])
      const hasTitle = () => {
        expectAccepted(named, route)
        expect(titlesIn(read), 'texts that may be the title').not.toEqual([])
      }
      claim('V3-CHAT-12', hasTitle, named, read)
      if (!succeeded(added)) return
      const names = [chat.name, ...textsOf(named), ...textsOf(read)]
      const shows = (_: unknown, page: Parameters<typeof chats.mentions>[0]) =>
        names.some((name) => chats.mentions(page, { ...chat, name }))
      const list = await chats.poll(() => chats.readFavorites(), shows)
      const isFavorite = shows(list.body, list)
      if (!list.isWhole && !isFavorite) return
      const what = 'the favorites show a chat that was added during a turn, and has a title since'
      claim('V3-FAV-01', () => expect(isFavorite, what).toBe(true), added, answer, named, list)
    },
  )
})

/** Reads and continues a chat as v3; `wrong`: calls refused with a hint to the other version, their cause. */
async function useAsV3({ v3, profile, prompts }: Scenario, chatId: string) {
  const history = await v3.history(chatId)
  const reply = await v3.generate(v3.generateBody(chatId, prompts.brief()))
  const calls = [history, reply]
  const wrong = calls
    .filter((call) => isDeclined(call) && namesPrefix(call, namesOf(profile, 'v2')))
    .map((call) => `${call.request.method} ${sentPath(call)}`)
  const taken = succeeded(history) && isResponse(reply)
  assume(
    taken || wrong.length > 0,
    'history or generation fails for a reason other than the version',
    ...calls,
  )
  return { wrong, calls }
}

/** The texts of an answer that contain a letter or a symbol, without those that say how the request went. */
function textsOf(exchange: Exchange): string[] {
  return leavesOf(answerJson(exchange)).flatMap(({ path, value }) => {
    const isOfEnvelope = /^(status|message|detail|object|type|code|state)$/i.test(path.at(-1) ?? '')
    return typeof value === 'string' && !isOfEnvelope && /[\p{L}\p{S}]/u.test(value) ? [value] : []
  })
}

/** Further wait for a title that a model generates after the answer. */
const backgroundMs = 5_000

const isTime = /^\d{4}-?\d\d-?\d\dT[\d:.]+\S*$/
