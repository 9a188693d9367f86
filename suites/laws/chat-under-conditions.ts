/** A chat in the state that conditions require. */
import type { LawfulOperation } from '../../contract/conditions.ts'
import {
  answerJson,
  type Chat,
  contains,
  describeRow,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  leavesOf,
  plain,
  type Racer,
  type Row,
  type Scenario,
  sendAtOnce,
  statusText,
  succeeded,
} from '../../harness/conformance/scenario/index.ts'
import { showsName } from '../support/chat-names.ts'
import { type ChatState, createChatLaws } from '../support/chat-state.ts'
import type { Caller } from '../support/credentials.ts'
import { claimSteady } from '../support/refusals.ts'
import { callerOf, sendWithoutKey } from './conditions/edits.ts'
import type { Body, Plan, Trial } from './conditions/plan.ts'
import { tryConditions } from './conditions/trials.ts'

/** None of these requests costs a generation: most pairs at depth normal, all of them at full. */
export function rowsAt({ depth, rows }: Pick<Scenario['coverage'], 'depth' | 'rows'>): number {
  return { quick: Math.min(rows, 4), normal: 10, full: 30 }[depth]
}

/** The document does not show the body of PATCH: a guess is judged only if it has changed a name, or is said to have. */
export async function canRename(scenario: Scenario): Promise<boolean> {
  const { v3, chats, claim, session, profile } = scenario
  const { id, name: before } = await v3.createChat()
  const name = session.name()
  const patched = await chats.rename(id, name)
  session.observe('OPEN-12', `PATCH /chat: ${statusText(patched)}`, [patched])
  const read = await chats.poll(
    () => chats.get(id),
    (body) => !succeeded(patched) || contains(body, name),
  )
  const isRenamed = contains(answerJson(read), name)
  if (succeeded(patched) && isRenamed) return true
  const places = placesOf(before, read)
  const isSaid = succeeded(patched) && placesOf(name, patched).some((one) => places.includes(one))
  if (profile.requests.patchChat === undefined && !isSaid) {
    const reason =
      'the guessed body of PATCH did not change the name: set requests.patchChat in the target profile'
    session.markUndecided('unproven', ['V3-CHAT-10'], reason)
    return false
  }
  const isNew = () => {
    expectAccepted(patched, 'PATCH /chat/{chat_id}')
    expect(isRenamed, 'the chat has the new name').toBe(true)
  }
  claim('V3-CHAT-10', isNew, patched, read)
  return false
}

function placesOf(text: string, answer: Exchange): readonly string[] {
  const found = leavesOf(answerJson(answer)).filter(({ value }) => value === text)
  return found.map(({ path }) => path.join())
}

/** A new chat for each request, in the state that the conditions require. */
export class ChatUnderConditions {
  readonly #scenario: Scenario
  readonly #laws: ReturnType<typeof createChatLaws>
  #state: ChatState | undefined
  /** Number of favorites that never appeared. */
  #vainWaits = 0

  constructor(scenario: Scenario) {
    this.#scenario = scenario
    this.#laws = createChatLaws(scenario)
  }

  /** Tries an operation and claims the state of the chat after it. */
  async try<O extends LawfulOperation>(plan: Plan<O>): Promise<void> {
    const { session } = this.#scenario
    const claimState = async (_: unknown, { row }: Trial) => {
      if (this.#state) await this.#laws.claim(this.#state, describeRow(row))
    }
    await tryConditions(this.#scenario, {
      rows: rowsAt(this.#scenario.coverage),
      // The chat belongs to the caller.
      guesses: [],
      laws: [{ law: claimState }],
      ...plan,
    })
    claimSteady(session, 'v3.favorites', 'V3-FAV-01')
    claimSteady(session, 'v3.chat', 'V3-CHAT-04')
  }

  async create(name: string, row: Row): Promise<Exchange> {
    const { v3 } = this.#scenario
    const caller = callerOf(this.#scenario.profile, row)
    const created = await v3.postChat(name, {}, { role: 'act', ...caller })
    const id = v3.newChatId(created)
    if (id) v3.deleteOnCleanup(id, caller)
    const chat = id && { id, name, created }
    this.#state = chat ? { chat, caller, firstName: name, sent: [created] } : undefined
    return created
  }

  async arrange(
    row: Row,
    { hasTwin = false, isTwinFavorite = false, hasTurn = false } = {},
  ): Promise<Body> {
    const { v3, chats, session, prompts } = this.#scenario
    const caller = callerOf(this.#scenario.profile, row)
    let chat = await v3.createChat(caller)
    if (row['after'] === 'refusal') {
      // A refused request would have changed its name.
      const wrong = { name: { text: chat.name } }
      const refused = await chats.patch(chat.id, wrong, { role: 'negative', ...caller })
      if (!isDeclined(refused)) chat = await v3.createChat(caller)
    }
    // Names of chats may be unique.
    const twinOf = () => v3.createChat(caller, chat.name).catch(() => v3.createChat(caller))
    const twin = hasTwin ? { twin: await twinOf() } : {}
    const isShown = isTwinFavorite && twin.twin && (await this.#favors(twin.twin, caller))
    const isFavorite = { isTwinFavorite: isShown === true }
    this.#state = { chat, caller, firstName: chat.name, ...twin, ...isFavorite, sent: [] }
    if (hasTurn) await v3.generateOk(v3.generateBody(chat, prompts.brief()), caller)
    if (row['after'] === 'rename') await this.rename(session.name(), {})
    if (row['after'] === 'favorite') await this.setFavorite(true, {})
    if (row['after'] === 'refusal') await sendWithoutKey(this.#scenario, chat, caller)
    // In some rows, the refusal comes directly before the request.
    const isRead = row['after'] !== 'refusal' || row['occurrence'] === 'third'
    if (row['after'] !== plain && isRead) await chats.get(chat.id, caller)
    return {}
  }

  async rename(name: string, row: Row): Promise<Exchange> {
    const { chats, session } = this.#scenario
    const state = this.#required()
    for (let times = 1; times < timesOf(row); times += 1) {
      await chats.rename(state.chat.id, session.name(), { role: 'probe', ...state.caller })
    }
    const { id } = state.chat
    const rename: Racer<Exchange> = (o) => chats.rename(id, name, { ...o, ...state.caller })
    const favor: Racer<Exchange> = (o) => chats.addFavorite(id, { ...o, ...state.caller })
    const isRace = row['overlap'] === 'with a favorite'
    const raced = isRace ? await sendAtOnce(session, rename, favor) : []
    const [renamed = await rename({}), favored] = raced
    const read = await chats.poll(
      () => chats.get(state.chat.id, state.caller),
      (body) => !succeeded(renamed) || showsName(body, name),
    )
    // An unchanged name is judged by the scenario of renaming.
    const isNew = timesOf(row) > 0 || showsName(answerJson(read), name)
    const chat = isNew ? { ...state.chat, name } : state.chat
    const favorite = favored && succeeded(favored) ? { favorite: true } : {}
    this.#state = { ...state, chat, ...favorite, sent: [...state.sent, renamed, ...raced.slice(1)] }
    return renamed
  }

  /** Sets the favorite mark; the response to a second request is open, its effect is not. */
  async setFavorite(favorite: boolean, row: Row): Promise<Exchange> {
    const { addFavorite, removeFavorite } = this.#scenario.chats
    const answer = await this.#send(favorite ? addFavorite : removeFavorite, row)
    if (succeeded(answer)) this.#state = { ...this.#required(), favorite }
    return answer
  }

  /** Generates a title as often as the row requires; returns the last answer. */
  async generateName(row: Row): Promise<Exchange> {
    const { generateName } = this.#scenario.chats
    const { chat, caller } = this.#required()
    for (let times = 1; times < timesOf(row); times += 1) await generateName(chat.id, caller)
    return generateName(chat.id, caller)
  }

  remove(row: Row): Promise<Exchange> {
    return this.#send(this.#scenario.chats.remove, row)
  }

  async claimDeleted(row: Row): Promise<void> {
    await this.#laws.claimDeleted(this.#required(), describeRow(row))
  }

  /** Sends a request as often as the row requires; returns the first answer. */
  async #send(request: Scenario['chats']['remove'], row: Row): Promise<Exchange> {
    const state = this.#required()
    const { chat, caller } = state
    const answer = await request(chat.id, caller)
    const sent = [...state.sent, answer]
    for (let times = 1; times < timesOf(row); times += 1) {
      sent.push(await request(chat.id, { role: 'probe', ...caller }))
    }
    this.#state = { ...state, sent }
    return answer
  }

  /** Adds a chat to the favorites, and tests if they show it. */
  async #favors(chat: Chat, caller: Caller): Promise<boolean> {
    if (this.#vainWaits === maxVainWaits) return false
    const { chats } = this.#scenario
    const added = await chats.addFavorite(chat.id, { role: 'probe', ...caller })
    const list = await chats.poll(
      () => chats.readFavorites(caller),
      (_, page) => !succeeded(added) || chats.mentions(page, chat),
    )
    const isShown = list.isWhole && chats.mentions(list, chat)
    if (!isShown) this.#vainWaits += 1
    return isShown
  }

  #required(): ChatState {
    if (this.#state === undefined) throw new Error('no chat was arranged')
    return this.#state
  }
}

/** Unsuccessful waits after which the favorites of a target are no longer read. */
const maxVainWaits = 3

/** Number of times that a row requires its operation; 0 for a row that only arranges. */
function timesOf(row: Row): number {
  const times: Readonly<Record<string, number>> = { [plain]: 1, second: 2, third: 3 }
  return times[row['occurrence'] ?? ''] ?? 0
}
