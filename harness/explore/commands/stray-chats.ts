import type { Exchange, RequirementId } from '../../../contract/index.ts'
import { isDeclined, isUuid, leavesOf } from '../../conformance/scenario/read.ts'
import type { ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { negative, requireChat } from '../checks.ts'
import { type Commands, demand, type ExplorationContext, type Planned } from '../command.ts'
import type { Model } from '../model.ts'

interface Refusal {
  readonly requirement: RequirementId
  send(context: ExplorationContext, chat: string, input: string): Promise<Exchange>
}

const refusals: Readonly<Record<string, Refusal>> = {
  'generation without a key': {
    requirement: 'V3-GEN-14',
    send: ({ v3 }, chat, input) =>
      v3.generate(v3.generateBody(chat, input), { ...negative, key: null }),
  },
  'generation with both tool lists': {
    requirement: 'V3-GEN-14',
    send({ v3 }, chat, input) {
      const lists = { include_tools: ['get_time'], exclude_tools: ['get_weather'] }
      return v3.generate(v3.generateBody(chat, input, lists), negative)
    },
  },
  'v2 message for a v3 chat': {
    requirement: 'VER-09',
    send: ({ v2 }, chat, input) => v2.message(v2.messageBody(chat, input), negative),
  },
}

/** Refused requests, which leave no chat. */
export const strayCommands: Commands = {
  'refused request and new chats': {
    weight: 1,
    needs: ['V3-CHAT-05', 'V3-GEN-14'],
    expects: ['VER-09'],
    chats: ({ living }) => living,
    variants: Object.keys(refusals),
    async run(context, operation) {
      const { session, record } = context
      const { variant = '' } = operation
      const refusal = refusals[variant]
      const { id } = requireChat(context, operation)
      if (refusal === undefined || !session.isJudged(refusal.requirement)) return
      const send = () => refusal.send(context, id, `Name a color for ${session.nonce()}.`)
      // The first ones may be refused as they should be.
      for (let count = 0; count < 2; count += 1) record(await send())
      const evidence: Exchange[] = []
      for (const times of rounds) {
        const idle = await growth(context, async () => {})
        if (idle.ids.length > 0) return
        const sent: Exchange[] = []
        const grown = await growth(context, async () => {
          for (let count = 0; count < times; count += 1) sent.push(await send())
        })
        if (evidence.length === 0) {
          evidence.push(...idle.pages.slice(0, 3), ...sent.map(record), ...grown.pages.slice(0, 3))
        }
        if (!sent.every(isDeclined) || grown.ids.length !== times) return
      }
      const why = `each refused request (${variant}) leaves a new chat`
      demand(false, refusal.requirement, why, ...evidence)
    },
  },
}

/**
 * Number of refused requests in each round. Other clients of the same caller may add chats to a list, but
 * hardly this number in each round and none while nothing is sent.
 */
const rounds = [1, 3, 2] as const

/** Chats that a list shows after a function has run, but not before. */
async function growth(
  { chats }: ExplorationContext,
  run: () => Promise<void>,
): Promise<{ readonly ids: readonly string[]; readonly pages: ListWalk['pages'] }> {
  const before = await chats.readList({}, recentRows, { role: 'probe' })
  await run()
  const after = await chats.readList({}, recentRows, { role: 'probe' })
  const idsBefore = new Set(idsIn(before))
  const ids = new Set(idsIn(after).filter((id) => !idsBefore.has(id)))
  return { ids: [...ids], pages: after.pages }
}

/** More rows than a round adds, so that a list with small pages is compared beyond its first page. */
const recentRows = 10

function idsIn({ body }: ListWalk): readonly string[] {
  return leavesOf(body).flatMap(({ value }) => (isUuid(value) ? [value] : []))
}

/** Refused requests of each kind, for the chat that was used most. */
export function lastRefusals({ busiestFirst: [busiest] }: Model): readonly Planned[] {
  if (busiest === undefined) return []
  const operation = { command: 'refused request and new chats', chat: busiest.label }
  return Object.keys(refusals).map((variant) => ({ ...operation, variant }))
}
