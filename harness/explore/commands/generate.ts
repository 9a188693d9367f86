import { type Exchange, type RequirementId, succeeded } from '../../../contract/index.ts'
import {
  answerParts,
  isDeclined,
  isUuid,
  leavesOf,
  statusText,
} from '../../conformance/scenario/read.ts'
import type { ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { inputText } from '../../conformance/scenario/routes/v3.ts'
import { negative, requireChat } from '../checks.ts'
import {
  type Commands,
  demand,
  drawFrom,
  type ExplorationContext,
  type Operation,
  type Planned,
} from '../command.ts'
import type { Model, Turn } from '../model.ts'

/** Longer chats may exceed a limit that the document does not show. */
const maxTurns = 6

/** The simplest first. */
const forms = ['json', 'stream', 'items', 'stream of items']

export const generateCommands: Commands = {
  generate: {
    weight: 7,
    generations: 1,
    expects: ['V3-GEN-01', 'V3-GEN-11', 'V3-SSE-01'],
    shownBy: [{ command: 'read history' }],
    // Chats that accept further turns, those with the most turns first.
    chats: (model) =>
      model.busiestFirst.filter(({ label }) => model.turnsOf(label).length < maxTurns),
    variants: forms,
    simpler: (operation) =>
      forms
        .slice(0, Math.max(0, forms.indexOf(operation.variant ?? '')))
        .map((variant) => ({ ...operation, variant })),
    run: takeTurn,
  },

  'repeat key': {
    weight: 6,
    generations: 1,
    expects: ['V3-IDEM-02', 'V3-IDEM-03', 'V3-IDEM-08'],
    shownBy: [{ command: 'read history' }],
    draw(model, pick) {
      const turns = repeatableTurns(model)
      const again = turns.filter(({ isRepeated }) => isRepeated)
      // The oldest keys are forgotten first, and a second repeat may be treated as a first one.
      const lists = [turns, turns.slice(0, 2), again.length > 0 ? again : turns]
      const turn = drawFrom(lists[pick(lists.length)] ?? turns, pick)
      const variant = pick(3) === 0 ? 'other form' : 'same form'
      return turn && { chat: turn.chat, turn: turn.label, variant }
    },
    applies: (model, { turn }) => repeatableTurns(model).some(({ label }) => label === turn),
    simpler: (operation) =>
      operation.variant === 'other form' ? [{ ...operation, variant: 'same form' }] : [],
    async run({ v3, model, record }, { turn: label, variant }) {
      const turn = model.turns.find((one) => one.label === label)
      if (turn === undefined) return
      const other = variant === 'other form' ? { stream: turn.body['stream'] !== true } : {}
      // The response to a repeat is open, and a 5xx is only a warning.
      const body = { ...turn.body, ...other }
      const again = record(await v3.generate(body, { key: turn.key, role: 'negative' }))
      const status = again.response?.status ?? 0
      model.touch(turn.chat, 'repeat key')
      model.repeatTurn(turn.label)
      demand(status < 500, 'V3-IDEM-08', `a repeat was answered ${status}`, again)
    },
  },
}

/** Sends a user turn and adds what the history must show of it to the model. */
async function takeTurn(context: ExplorationContext, operation: Operation): Promise<void> {
  const { v3, session, knowledge, model } = context
  const { id, label: chat } = requireChat(context, operation)
  const { variant = 'json' } = operation
  const stream = variant.startsWith('stream')
  const ofItems = variant.endsWith('items')
  const marks = ofItems ? [session.nonce(), session.nonce()] : [session.nonce()]
  const texts = marks.map((mark) => `Name a color for ${mark}.`)
  const input = ofItems ? texts.map((text) => inputText(text)) : texts[0]
  const body = v3.generateBody(id, input, { stream })
  const key = session.uuid()
  const reply = context.record(await v3.generate(body, { key }))
  const isTaken = succeeded(reply) && !isDeclined(reply)
  const ability = stream ? 'stream' : 'generate'
  const isPlain = model.turnsOf(chat).length === 0
  model.touch(chat, 'generate')
  model.addTurn({
    ...{ label: operation.label, chat, key, body, marks },
    isAccepted: isTaken,
    answer: isTaken ? answerParts(reply) : [],
  })
  const proven = `${ability}${ofItems ? ' of items' : ''}`
  if (isTaken) {
    if (isPlain) knowledge.prove(ability)
    knowledge.prove(proven)
    return
  }
  // A generation that began may fail, as on a busy server: only a refusal is one each time.
  if (succeeded(reply)) return
  if (!knowledge.isAble(proven)) return
  // An exhausted quota, for which the plainest generation is refused as well, says nothing about the state.
  const other = await v3.createChat({ role: 'control' })
  const plainest = v3.generateBody(other, `Name a color for ${session.nonce()}.`, { stream })
  if (!succeeded(await v3.generate(plainest, { role: 'control' }))) return
  const requirement = isPlain ? (stream ? 'V3-SSE-01' : 'V3-GEN-01') : 'V3-GEN-11'
  demand(false, requirement, `a further generation was answered ${statusText(reply)}`, reply)
}

/** The turns whose key can be repeated, the oldest first; in a deleted chat, the effect of a repeat is open. */
export function repeatableTurns(model: Model): readonly Turn[] {
  return model.turns.filter(
    ({ chat, isAccepted }) => isAccepted && model.chat(chat)?.deleted === false,
  )
}

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
    expects: ['V3-GEN-14', 'VER-09'],
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
      const why = `each refused request (${variant}) creates a chat`
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
