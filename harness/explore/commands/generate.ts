import { isDeclined } from '../../conformance/scenario/read.ts'
import { findGap, sendAtOnce } from '../../conformance/session/race.ts'
import { requireLiving } from '../checks/common.ts'
import { type Command, demand, drawChat, drawFrom, type Operation } from '../command.ts'
import {
  addTurn,
  busiestFirst,
  chatNamed,
  type Model,
  orderTurns,
  repeatTurn,
  type Turn,
  touchChat,
  turnsOf,
} from '../model.ts'
import { bodyOf, responseIdIn, takeTurn } from '../turns.ts'

/** A chat that grows longer may meet a limit that the document does not show. */
const maxTurns = 6

/** The simplest first. */
const forms = ['json', 'stream', 'items', 'stream of items']

function inSimplerForms(operation: Operation): readonly Operation[] {
  const at = forms.indexOf(operation.variant ?? '')
  return forms.slice(0, Math.max(0, at)).map((variant) => ({ ...operation, variant }))
}

const generate: Command = {
  name: 'generate',
  weight: 7,
  generations: 1,
  draw(model, pick) {
    const chat = drawChat(growing(model), pick)
    return chat && { ...chat, variant: drawFrom(forms, pick) ?? 'json' }
  },
  applies: (model, { chat }) => chatNamed(model, chat)?.deleted === false,
  async run(context, operation) {
    await takeTurn(
      context,
      operation.label,
      operation.chat ?? '',
      operation.variant ?? 'json',
      undefined,
    )
  },
  simpler: inSimplerForms,
}

const continueRun: Command = {
  name: 'generate with parent_id',
  weight: 3,
  generations: 1,
  draw(model, pick) {
    const chat = drawFrom(
      growing(model).filter(({ label }) => lastRun(model, label) !== undefined),
      pick,
    )
    return chat && { chat: chat.label, variant: drawFrom(forms, pick) ?? 'json' }
  },
  applies: (model, { chat = '' }) =>
    chatNamed(model, chat)?.deleted === false && lastRun(model, chat) !== undefined,
  async run(context, { label, chat = '', variant = 'json' }) {
    const parent = lastRun(context.model, chat)?.responseId
    await takeTurn(context, label, chat, variant, parent)
  },
  simpler: (operation) => [{ ...operation, command: generate.name }, ...inSimplerForms(operation)],
}

const repeat: Command = {
  name: 'repeat key',
  weight: 6,
  generations: 1,
  draw(model, pick) {
    const turns = repeatableTurns(model)
    const again = turns.filter(({ isRepeated }) => isRepeated)
    // The oldest keys are the first to be forgotten, and a second repeat may be met as a first one.
    const lists = [turns, turns.slice(0, 2), again.length > 0 ? again : turns]
    const turn = drawFrom(lists[pick(lists.length)] ?? turns, pick)
    const variant = pick(3) === 0 ? 'other form' : 'same form'
    return turn && { chat: turn.chat, turn: turn.label, variant }
  },
  applies: (model, { turn }) =>
    model.turns.some((one) => one.label === turn && isRepeatable(model, one)),
  async run(context, { turn: label, variant }) {
    const turn = context.model.turns.find((one) => one.label === label)
    if (turn === undefined) return
    const other = variant === 'other form' ? { stream: turn.body['stream'] !== true } : {}
    const body = { ...turn.body, ...other }
    // How a repeat is answered is open, and a 5xx is only a warning.
    const again = context.record(
      await context.v3.generate(body, { key: turn.key, role: 'negative' }),
    )
    const status = again.response?.status ?? 0
    context.model = repeatTurn(touchChat(context.model, turn.chat, 'repeat key'), turn.label)
    demand(status < 500, 'V3-IDEM-08', `a repeat was answered ${status}`, again)
  },
  simpler: (operation) =>
    operation.variant === 'other form' ? [{ ...operation, variant: 'same form' }] : [],
}

const raceKey: Command = {
  name: 'race with one key',
  weight: 1,
  generations: 2,
  draw(model, pick) {
    const chat = drawFrom(growing(model), pick)
    if (chat === undefined) return undefined
    const earlier = pick(2) === 0 ? undefined : lastRun(model, chat.label)
    const variant = drawFrom(forms, pick) ?? 'json'
    return { chat: chat.label, variant, ...(earlier === undefined ? {} : { turn: earlier.label }) }
  },
  applies: (model, { chat, turn }) =>
    chatNamed(model, chat)?.deleted === false &&
    (turn === undefined || responseIdIn(model, turn) !== undefined),
  async run(context, operation) {
    const chat = requireLiving(context, operation)
    const { v3, session } = context
    const { variant = 'json', label } = operation
    const parent = responseIdIn(context.model, operation.turn)
    const { body, marks } = bodyOf(context, chat.id, variant, parent)
    const key = session.uuid()
    const send = (options: object) => v3.generate(body, { key, role: 'negative', ...options })
    const sent = await sendAtOnce(session, send, send)
    for (const exchange of sent) context.record(exchange)
    const isRace = findGap(sent, session.context.setup.profile) === undefined
    const kind = isRace ? 'race' : 'generate'
    context.model = addTurn(touchChat(context.model, chat.label, 'race'), {
      ...{ label, chat: chat.label, key, body, kind, marks },
      steps: sent.every(isDeclined) ? undefined : 1,
      answer: [],
      responseId: undefined,
      isRepeated: true,
    })
  },
  simpler({ turn, ...operation }) {
    const alone = { ...operation, command: generate.name }
    return [alone, ...(turn === undefined ? [] : [operation]), ...inSimplerForms(operation)]
  },
}

const raceChats: Command = {
  name: 'race in two chats',
  weight: 2,
  generations: 2,
  draw(model, pick) {
    const [one, other] = growing(model)
    if (one === undefined || other === undefined) return undefined
    return pick(2) === 0
      ? { chat: one.label, turn: other.label }
      : { chat: other.label, turn: one.label }
  },
  applies: (model, { chat, turn }) =>
    [chat, turn].every((label) => chatNamed(model, label)?.deleted === false),
  async run(context, { label, chat = '', turn: other = '' }) {
    // Two clients at once; each writes to a chat of its own.
    await sendAtOnce(
      context.session,
      (options) => takeTurn(context, `${label}a`, chat, 'json', undefined, options),
      (options) => takeTurn(context, `${label}b`, other, 'stream', undefined, options),
    )
    // In one order, whichever was answered first: what is drawn next depends on it.
    context.model = orderTurns(context.model, [`${label}a`, `${label}b`])
  },
  simpler({ label, chat = '', turn = '' }) {
    const { name: command } = generate
    const one = { command, label: `${label}a`, chat, variant: 'json' }
    const other = { command, label: `${label}b`, chat: turn, variant: 'stream' }
    return [one, other, [one, other]]
  },
}

/** Chats that take further turns, those with the most of them first. */
export function growing(model: Model) {
  return busiestFirst(model).filter(({ label }) => turnsOf(model, label).length < maxTurns)
}

function lastRun(model: Model, chat: string): Turn | undefined {
  const last = turnsOf(model, chat)
    .filter(({ steps }) => steps !== 0)
    .at(-1)
  return last?.responseId === undefined ? undefined : last
}

/** The turns whose key can be repeated, the oldest first. */
export function repeatableTurns(model: Model): readonly Turn[] {
  return model.turns.filter((turn) => isRepeatable(model, turn))
}

/** Tests if a turn can be repeated: the meaning of a key whose chat is deleted is open. */
function isRepeatable(model: Model, { chat, steps }: Turn): boolean {
  return steps === 1 && chatNamed(model, chat)?.deleted === false
}

export const generateCommands: readonly Command[] = [
  generate,
  continueRun,
  repeat,
  raceKey,
  raceChats,
]
