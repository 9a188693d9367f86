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
  inputText,
  isDeclined,
  type Scenario,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { secondCaller, v2ChatOf } from '../support/credentials.ts'
import { buildRecall } from '../support/recall.ts'
import { claimRefused, claimRefusedAs, statedVersions } from '../support/refusals.ts'
import { buildTextFile } from '../support/test-data.ts'

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
      requests: 43,
      generations: 2,
      chats: 1,
      again: 2,
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

      // Last, as the last of them asks to delete the chat.
      for (const [requirement, what, send] of v3Calls(scenario, before, secrets)) {
        claimRefused(scenario, requirement, what, await send(), 'v2')
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
      requests: 25,
      generations: 2,
      chats: 2,
      isLong: true,
    }),
    async ({ v2, v3, chats, claim, session, profile, prompts, scenario }) => {
      const own = await v2.chat()
      const able = await v2.storeAndGenerate(own, prompts.brief())
      assume(succeeded(able.reply), 'v2 does not work for a v2 chat')
      // A message that already has a reply may be refused for that reason.
      const unanswered = await v2.storeOk(own, prompts.brief(session.nonce()))
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
      const message = v2.messageBody(chat.id, prompts.brief(session.nonce()))
      const stored = await v2.message(message, role)
      const reply = await v2.generate(v2.generateBody(chat.id, unanswered.id), role)
      claimRefused(scenario, 'VER-07', 'POST /api/v2/message', stored, 'v3')
      claimRefused(scenario, 'VER-08', 'POST /api/v2/message/generate', reply, 'v3')
      const vision = { model_id: visionIdOf(profile) }
      // A chat without a turn has its version as well.
      const unused = await v3.createChat()
      for (const [chat_id, what, fields] of [
        [chat.id, 'a message with more fields', { ...vision, think: true, rag: 'agent' }],
        [unused.id, 'a message in a new chat', { model_id: otherIdOf(profile) }],
      ] as const) {
        const more = { ...message, ...fields }
        const further = await v2.message({ ...more, chat_id }, role)
        await claimRefusedAs(scenario, 'VER-07', what, further, 'v3', () =>
          v2.message({ ...more, chat_id: own }),
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
      const keepsName = () => expect(showsName(read), 'the v3 chat still has its name').toBe(true)
      claim('VER-09', keepsName, read, stored, reply)
    },
  )
})

/** The document does not say that a file whose chat is a parameter is a call for that chat: those are observed. */
type V3Call = readonly [
  requirement: 'VER-03' | 'VER-04' | 'VER-05' | null,
  what: string,
  send: () => Promise<Exchange>,
]

/** Calls of v3 routes for a chat; the `secrets` are stated in a generation and in a stream. */
function v3Calls(
  { v3, chats, attachments, session, profile }: Scenario,
  chat: string,
  secrets: readonly [string, string],
): readonly V3Call[] {
  const role = { role: 'negative' } as const
  const path = '/chat/{chat_id}'
  const turn = (secret: string, stream: boolean) =>
    v3.generate(v3.generateBody(chat, buildRecall(profile, secret).tell, { stream }), role)
  const { capabilities, requests } = profile
  const probe = { role: 'probe' } as const
  const sought = { search: session.nonce() }
  const ofFiles: readonly V3Call[] = [
    ['VER-05', `GET ${path}/attachments`, () => chats.attachments(chat, {}, role)],
    ['VER-05', `GET ${path}/attachments?search`, () => chats.attachments(chat, sought, role)],
    [null, 'GET /attachment?chat_id', () => attachments.list({ chat_id: chat }, probe)],
  ]
  // Only the profile of the target shows that a form field adds an upload to a chat.
  const upload: V3Call = [
    null,
    'POST /attachment',
    () => attachments.upload(buildTextFile(session), chat, probe),
  ]
  return [
    ['VER-03', 'GET /message', () => v3.history(chat, {}, role)],
    ['VER-03', 'GET /message with limit', () => v3.history(chat, { limit: 10 }, role)],
    ['VER-04', 'POST /message/generate', () => turn(secrets[0], false)],
    ['VER-04', 'POST /message/generate as a stream', () => turn(secrets[1], true)],
    ['VER-05', `GET ${path}`, () => chats.get(chat, role)],
    ['VER-05', `PATCH ${path}`, () => chats.rename(chat, session.name(), role)],
    ['VER-05', `POST ${path}/generate-name`, () => chats.generateName(chat, role)],
    ['VER-05', `DELETE ${path}/favorite`, () => chats.removeFavorite(chat, role)],
    ['VER-05', `POST ${path}/favorite`, () => chats.addFavorite(chat, role)],
    ...(capabilities.attachments ? ofFiles : []),
    ...(capabilities.attachments && requests.upload?.chatField ? [upload] : []),
    ['VER-05', `DELETE ${path}`, () => chats.remove(chat, role)],
  ]
}

const otherIdOf = ({ models: { main, aliases } }: Scenario['profile']) => aliases[0] ?? main

const visionIdOf = ({ models, capabilities }: Scenario['profile']) =>
  capabilities.images ? models.vision : models.main

/** Fields that may hide the version of a chat: those of one turn in either form. */
const furtherTurns = ({ profile, prompts }: Scenario) => [
  {
    ...{ model_id: otherIdOf(profile), think: true, rag: 'agent', max_tokens: 24 },
    ...{ temperature: 1, top_p: 1, presence_penalty: 0 },
  },
  {
    ...{ model_id: visionIdOf(profile), stream: true, rag: false },
    ...{ assistant_id: profile.assistants?.withoutKnowledge, exclude_tools: [] },
    input: [inputText(prompts.brief())],
  },
]

/** A v2 chat of another caller is refused as well; its key may lack the rights to have one. */
async function claimNotTakenFromSecond(scenario: Scenario): Promise<void> {
  const { v3, claim, profile } = scenario
  const caller = secondCaller(profile)
  const chat = await v2ChatOf(scenario, caller)
  if (chat === undefined || caller === undefined) return
  for (const page of [{}, { limit: 10 }]) {
    const history = await v3.history(chat, page, { role: 'negative', ...caller })
    const what = 'the history of a v2 chat of another caller is refused'
    claim('VER-03', () => expect(isDeclined(history), what).toBe(true), history)
  }
}
