/** Requests that store no chat: a one-shot (section 4.3), and whatever is refused. */
import { type Exchange, type RequirementId, succeeded } from '../../../contract/index.ts'
import {
  answerJson,
  contains,
  isDeclined,
  isUuid,
  leavesOf,
  statusText,
} from '../../conformance/scenario/read.ts'
import type { ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { stillGenerates } from '../checks/common.ts'
import { type Command, demand, drawFrom, type Operation } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import { busiestFirst, chatNamed, livingChats, type Model } from '../model.ts'

/** An answer without a stored chat: no list shows a new chat that holds its words. */
const oneShot: Command = {
  name: 'one-shot',
  weight: 1,
  generations: 1,
  draw: (_model, pick) => ({ variant: pick(2) === 0 ? 'json' : 'stream' }),
  applies: () => true,
  async run(context, { variant }) {
    const { chats, v3, session, knowledge } = context
    const stream = variant === 'stream'
    const before = await chats.readList({}, recentRows, { role: 'probe' })
    const mark = session.nonce()
    const body = context.oneShot.body(`Name a colour for ${mark}.`, { stream })
    const reply = context.record(await context.oneShot.send(body))
    const ability = `one-shot as ${variant}`
    if (!succeeded(reply)) {
      if (!knowledge.isAble(ability) || !(await stillGenerates(context, stream))) return
      const row: RequirementId = stream ? 'V3-ONE-02' : 'V3-ONE-01'
      demand(false, row, `a further one-shot was answered ${statusText(reply)}`, reply)
    }
    knowledge.prove(ability)
    const after = await chats.readList({}, recentRows, { role: 'probe' })
    const why = 'a one-shot was stored as a chat'
    demand(!contains(after.body, mark), 'V3-ONE-09', why, reply, ...after.pages.slice(0, 3))
    for (const id of newIds(before, after)) {
      const history = await v3.history(id)
      demand(!contains(answerJson(history), mark), 'V3-ONE-09', why, reply, history)
    }
  },
}

interface Refusal {
  readonly row: RequirementId
  send(context: ExplorationContext, chat: string, input: string): Promise<Exchange>
}

const negative = { role: 'negative' } as const
const lists = { include_tools: ['get_time'], exclude_tools: ['get_weather'] }

const refusals: Readonly<Record<string, Refusal>> = {
  'generation without a key': {
    row: 'V3-GEN-14',
    send: ({ v3 }, chat, input) =>
      v3.generate(v3.generateBody(chat, input), { ...negative, key: null }),
  },
  'generation with both tool lists': {
    row: 'V3-GEN-14',
    send: ({ v3 }, chat, input) => v3.generate(v3.generateBody(chat, input, lists), negative),
  },
  'one-shot with a model_id of another type': {
    row: 'V3-ONE-09',
    send: ({ oneShot: routes }, _chat, input) =>
      routes.send({ ...routes.body(input), model_id: { of: 'another type' } }, negative),
  },
  'v2 message for a v3 chat': {
    row: 'VER-09',
    send: ({ v2 }, chat, input) => v2.message(v2.messageBody(chat, input), negative),
  },
}

const strayKinds: readonly string[] = Object.keys(refusals)

/**
 * Number of refused requests in each round. A list may grow by chats of other clients of the same
 * caller, but hardly by this number in each round and by none while nothing is sent.
 */
const rounds = [1, 3, 2] as const

const refusalLeavesNoChat: Command = {
  name: 'refused request and new chats',
  weight: 1,
  generations: 0,
  needs: ['V3-CHAT-05', 'V3-GEN-14'],
  draw(model, pick) {
    const chat = drawFrom(livingChats(model), pick)
    const variant = drawFrom(strayKinds, pick)
    return chat && variant !== undefined ? { chat: chat.label, variant } : undefined
  },
  applies: (model, { chat }) => chatNamed(model, chat)?.deleted === false,
  async run(context, { chat = '', variant = '' }) {
    const { session, record } = context
    const refusal = refusals[variant]
    const id = chatNamed(context.model, chat)?.id
    if (refusal === undefined || id === undefined || !session.isJudged(refusal.row)) return
    const evidence: Exchange[] = []
    for (const [round, times] of rounds.entries()) {
      const idle = await growth(context, async () => {})
      if (idle.ids.length > 0) return
      const sent: Exchange[] = []
      const grown = await growth(context, async () => {
        for (let count = 0; count < times; count += 1) {
          const input = `Name a colour for ${session.nonce()}.`
          sent.push(await refusal.send(context, id, input))
        }
      })
      if (round === 0)
        evidence.push(
          ...idle.after.pages.slice(0, 3),
          ...sent.map(record),
          ...grown.after.pages.slice(0, 3),
        )
      if (!sent.every(isDeclined) || grown.ids.length !== times) return
    }
    const why = `each refused request (${variant}) leaves a new chat`
    demand(false, refusal.row, why, ...evidence)
  },
}

/** Chats that a list shows after something was done, and not before. */
async function growth(
  { chats }: ExplorationContext,
  run: () => Promise<void>,
): Promise<{ readonly ids: readonly string[]; readonly after: ListWalk }> {
  const before = await chats.readList({}, recentRows, { role: 'probe' })
  await run()
  const after = await chats.readList({}, recentRows, { role: 'probe' })
  return { ids: newIds(before, after), after }
}

/** More than a round adds, so that a list of small pages is compared beyond its first. */
const recentRows = 10

function newIds(before: ListWalk, after: ListWalk): readonly string[] {
  const idsBefore = new Set(idsIn(before))
  return [...new Set(idsIn(after))].filter((id) => !idsBefore.has(id))
}

function idsIn({ body }: ListWalk): readonly string[] {
  return leavesOf(body).flatMap(({ value }) => (isUuid(value) ? [value] : []))
}

/** Requests of each kind that are refused, for the chat that was used most. */
export function lastRefusals(model: Model): readonly Operation[] {
  const { name: command } = refusalLeavesNoChat
  return busiestFirst(model)
    .slice(0, 1)
    .flatMap(({ label: chat }) =>
      strayKinds.map((variant) => ({ command, label: `${chat} ${variant}`, chat, variant })),
    )
}

export const strayCommands: readonly Command[] = [oneShot, refusalLeavesNoChat]
