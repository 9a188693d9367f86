import type { LawfulOperation } from '../../contract/conditions.ts'
import type { RequirementId } from '../../contract/index.ts'
import {
  assume,
  type Chat,
  covers,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  type HistoryWalk,
  historyCursor,
  historyRows,
  inputRows,
  isDeclined,
  type Scenario,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { createChatLaws, requirementsOfChats } from '../support/chat-state.ts'
import { secondCaller } from '../support/credentials.ts'
import { buildTextFile } from '../support/test-data.ts'
import { nameEditsOf } from '../support/text-edits.ts'
import { ChatUnderConditions, canRename, rowsAt } from './chat-under-conditions.ts'
import type { Plan } from './conditions/plan.ts'
import { tryConditions } from './conditions/trials.ts'

const kindsOfNames = nameEditsOf((change) => (body) => ({
  ...body,
  name: change(String(body['name'])),
}))

/** Sends a name; a long one that is refused is sent without its middle, as names may have a maximum length. */
async function sendNamed(
  { name }: Readonly<Record<string, unknown>>,
  send: (name: string) => Promise<Exchange>,
): Promise<Exchange> {
  const characters = [...String(name)]
  const answer = await send(String(name))
  const isLong = characters.length > acceptedLength
  return isLong && isDeclined(answer)
    ? send([...characters.slice(0, keptAtEnd), ...characters.slice(-keptAtEnd)].join('').trim())
    : answer
}

/** Characters of a name that every service accepts, half of them at each end. */
const acceptedLength = 48
const keptAtEnd = acceptedLength / 2

/** Sections 2.5 and 4.3: changes of a chat take effect, whatever was done before and how often. */
describe('v3: laws of chats', () => {
  testChanges(
    'all reads MUST show the name that a chat was created with',
    ['V3-CHAT-01'],
    (chat, { session }) => ({
      operation: 'v3.createChat',
      steady: 'V3-CHAT-01',
      guesses: ['caller'],
      base: () => ({ name: session.name() }),
      edits: kindsOfNames,
      send: (body, row) => sendNamed(body, (name) => chat.create(name, row)),
    }),
  )

  testChanges(
    'all reads MUST show the new name of a renamed chat, and other chats MUST NOT change',
    [],
    (chat, { session }) => ({
      operation: 'v3.updateChat',
      accepts: 'V3-CHAT-10',
      async base(row) {
        await chat.arrange(row, { hasTwin: true })
        return { name: session.name() }
      },
      edits: kindsOfNames,
      send: (body, row) => sendNamed(body, (name) => chat.rename(name, row)),
    }),
    canRename,
  )

  test(
    'a title MUST be generated for a chat under every condition',
    coversAtDepth(['V3-CHAT-12', 'V3-AUTH-05'], (_, depth) =>
      depth === 'full' ? { requests: 60, generations: 4 * titles, chats: titles } : {},
    ),
    async (scenario) => {
      if (scenario.depth !== 'full') return
      const chat = new ChatUnderConditions(scenario)
      await tryConditions(scenario, {
        operation: 'v3.generateName',
        accepts: 'V3-CHAT-12',
        rows: titles,
        base: (row) => chat.arrange(row, { hasTurn: true }),
        send: (_, row) => chat.generateName(row),
      })
    },
  )

  testChanges('the favorites MUST show a chat that is added to them', [], (chat) => ({
    operation: 'v3.addFavorite',
    accepts: 'V3-FAV-01',
    base: (row) => chat.arrange(row),
    send: (_, row) => chat.setFavorite(true, row),
  }))

  testChanges(
    'the favorites MUST NOT show a chat that is removed from them, and the chat MUST be kept',
    [],
    (chat) => ({
      operation: 'v3.removeFavorite',
      accepts: 'V3-FAV-02',
      async base(row) {
        const body = await chat.arrange(row)
        await chat.setFavorite(true, {})
        return body
      },
      send: (_, row) => chat.setFavorite(false, row),
    }),
  )

  testChanges(
    'a deleted chat MUST NOT be shown by any read, and other chats MUST NOT change',
    ['V3-CHAT-11'],
    (chat) => ({
      operation: 'v3.deleteChat',
      accepts: 'V3-CHAT-11',
      base: (row) => chat.arrange(row, { hasTwin: true, isTwinFavorite: true }),
      always: [{ after: 'favorite' }],
      send: (_, row) => chat.remove(row),
      laws: [{ law: (_, { row }) => chat.claimDeleted(row) }],
    }),
  )

  test(
    'deleting a chat MUST delete its history, and MUST keep the turns of another chat',
    covers(['V3-CHAT-11', 'V3-HIST-01', 'V3-HIST-07', ...requirementsOfChats], {
      requests: 78,
      generations: 2,
      chats: 4,
      uploads: 1,
      isLong: true,
    }),
    async ({ v3, chats, attachments, claim, session, profile, prompts, scenario }) => {
      const laws = createChatLaws(scenario)
      const [kept, other] = [await v3.createChat(), await v3.createChat()]
      const stateOf = (chat: Chat) => ({ chat, caller: {}, firstName: chat.name, sent: [] })
      const nonce = session.nonce()
      await v3.generateOk(v3.generateBody(kept, prompts.brief(nonce)))
      const caller = secondCaller(profile)
      // A key that is a guess may not be accepted.
      const isKnown =
        caller && succeeded(await chats.list({ limit: 1 }, { role: 'probe', ...caller }))
      const second = isKnown ? [{ id: (await v3.createChat(caller)).id, caller }] : []
      // After the time that a change may take, the first reads must show it, and each after them.
      await session.sleep(session.settling.ms)
      const early: History[] = []
      for (const place of ['first', 'second', 'third']) {
        for (const { id, caller } of [{ id: kept.id, caller: {} }, ...second]) {
          const read = await chats.get(id, caller)
          const what = `the ${place} GET /chat/{chat_id}`
          claim('V3-CHAT-04', () => expectAccepted(read, what), read)
        }
        const history = await v3.history(kept)
        const what = `the ${place} GET /message`
        claim('V3-HIST-01', () => expectAccepted(history, what), history)
        // A page may be shorter than the history.
        if (historyCursor(history) === null)
          early.push({ rows: historyRows(history), pages: [history] })
      }
      await laws.claim({ ...stateOf(kept), hasTurn: true }, 'it has a turn')
      const { rows } = await v3.waitForHistory(kept, (all) => inputRows(all, nonce).length > 0)
      assume(inputRows(rows, nonce).length === 1, 'the history does not show the turn once')
      for (const one of early) claimOnce('V3-HIST-07', 'in the first histories that are read', one)
      await chats.addFavorite(kept.id, { role: 'probe' })
      await chats.rename(kept.id, session.name(), { role: 'probe' })
      if (!(await claimTurn('V3-HIST-07', 'after the chat was a favorite and renamed'))) return
      await chats.rename(other.id, session.name(), { role: 'probe' })
      await v3.generateOk(v3.generateBody(other, prompts.brief()))
      if (profile.capabilities.attachments)
        await attachments.upload(buildTextFile(session), other.id, { role: 'probe' })
      const removed = await chats.remove(other.id)
      claim('V3-CHAT-11', () => expectAccepted(removed, 'DELETE /chat/{chat_id}'), removed)
      await laws.claimDeleted({ ...stateOf(other), sent: [removed] }, 'it has a turn')
      await claimTurn('V3-CHAT-13', 'after another chat was deleted')

      type Turn = 'V3-HIST-07' | 'V3-CHAT-13'
      async function claimTurn(requirement: Turn, when: string) {
        return claimOnce(requirement, when, await v3.historyAfterPause(kept))
      }
      function claimOnce(requirement: Turn, when: string, { rows, pages }: History) {
        const count = inputRows(rows, nonce).length
        const what = `rows of the question ${when}`
        return claim(requirement, () => expect(count, what).toBe(1), ...pages)
      }
    },
  )
})

/** Tests a change of chats under its conditions, if the target takes our request for it. */
function testChanges<O extends LawfulOperation>(
  title: string,
  requirements: readonly RequirementId[],
  planFor: (chat: ChatUnderConditions, scenario: Scenario) => Plan<O>,
  isTaken: (scenario: Scenario) => Promise<boolean> = async () => true,
): void {
  const cost = (rows: number, depth: Scenario['depth']) => ({
    requests: 26 * rowsAt({ depth, rows }) + 20,
    chats: 2 * rowsAt({ depth, rows }) + 4,
  })
  test(title, coversAtDepth([...requirements, ...requirementsOfChats], cost), async (scenario) => {
    if (!(await isTaken(scenario))) return
    const chat = new ChatUnderConditions(scenario)
    await chat.try(planFor(chat, scenario))
  })
}

type History = Pick<HistoryWalk, 'rows' | 'pages'>

/** Chats with a title, most pairs of conditions among them. */
const titles = 10
