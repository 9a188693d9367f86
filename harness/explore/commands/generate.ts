import { type Exchange, succeeded } from '../../../contract/index.ts'
import {
  answerParts,
  finalResponse,
  isDeclined,
  statusText,
} from '../../conformance/scenario/read.ts'
import { inputText } from '../../conformance/scenario/routes/v3.ts'
import { requireLiving, stillGenerates } from '../checks/common.ts'
import { type Command, demand, drawChat, drawFrom, type Operation } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
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
    await takeTurn(context, operation.label, operation.chat ?? '', operation.variant ?? 'json', {})
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
    await takeTurn(context, label, chat, variant, parent === undefined ? {} : { parent_id: parent })
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
    return chat && { chat: chat.label, variant: pick(2) === 0 ? 'json' : 'stream' }
  },
  applies: (model, { chat }) => chatNamed(model, chat)?.deleted === false,
  async run(context, operation) {
    const chat = requireLiving(context, operation)
    const { v3, session } = context
    const stream = operation.variant === 'stream'
    const mark = session.nonce()
    const body = v3.generateBody(chat.id, `Name a colour for ${mark}.`, { stream })
    const key = session.uuid()
    const sent = await Promise.all([1, 2].map(() => v3.generate(body, { key, role: 'negative' })))
    for (const exchange of sent) context.record(exchange)
    const steps = sent.every(isDeclined) ? undefined : 1
    const turn = { label: operation.label, chat: chat.label, key, body, kind: 'race' }
    context.model = addTurn(touchChat(context.model, chat.label, 'race'), {
      ...turn,
      marks: [mark],
      steps,
      answer: [],
      responseId: undefined,
      isRepeated: true,
    })
  },
  simpler: (operation) => [{ ...operation, command: generate.name }],
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
    const turns = await Promise.allSettled([
      takeTurn(context, `${label}a`, chat, 'json', {}),
      takeTurn(context, `${label}b`, other, 'stream', {}),
    ])
    // In one order, whichever was answered first: what is drawn next depends on it.
    context.model = orderTurns(context.model, [`${label}a`, `${label}b`])
    for (const turn of turns) if (turn.status === 'rejected') throw turn.reason
  },
  simpler({ label, chat = '', turn = '' }) {
    const { name: command } = generate
    const one = { command, label: `${label}a`, chat, variant: 'json' }
    const other = { command, label: `${label}b`, chat: turn, variant: 'stream' }
    return [one, other, [one, other]]
  },
}

/** Sends a turn of the user, and notes what the history must show of it. */
async function takeTurn(
  context: ExplorationContext,
  label: string,
  chatLabel: string,
  form: string,
  more: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { v3, session, knowledge } = context
  const chat = requireLiving(context, { command: 'generate', label, chat: chatLabel })
  const stream = form.startsWith('stream')
  const ofItems = form.endsWith('items')
  const marks = ofItems ? [session.nonce(), session.nonce()] : [session.nonce()]
  const texts = marks.map((mark) => `Name a colour for ${mark}.`)
  const input = ofItems ? texts.map((text) => inputText(text)) : texts[0]
  const body = v3.generateBody(chat.id, input, { stream, ...more })
  const key = session.uuid()
  const reply = context.record(await v3.generate(body, { key }))
  const accepted = succeeded(reply) && !isDeclined(reply)
  const ability = ['generate', 'stream'][Number(stream)] ?? 'generate'
  const isPlain = turnsOf(context.model, chat.label).length === 0
  const steps = accepted ? 1 : undefined
  const turn: Turn = {
    label,
    chat: chat.label,
    key,
    body,
    marks,
    steps,
    kind: 'generate',
    answer: accepted ? answerParts(reply) : [],
    responseId: accepted ? responseIdOf(reply) : undefined,
    isRepeated: false,
  }
  context.model = addTurn(touchChat(context.model, chat.label, 'generate'), turn)
  if (accepted) {
    if (isPlain) knowledge.prove(ability)
    knowledge.prove(
      `${ability}${ofItems ? ' of items' : ''}${'parent_id' in more ? ' with parent_id' : ''}`,
    )
    return
  }
  const proven = `${ability}${ofItems ? ' of items' : ''}${'parent_id' in more ? ' with parent_id' : ''}`
  if (!knowledge.isAble(proven) || !(await stillGenerates(context, stream))) return
  const row = 'parent_id' in more || !isPlain ? 'V3-GEN-11' : stream ? 'V3-SSE-01' : 'V3-GEN-01'
  demand(false, row, `a further generation was answered ${statusText(reply)}`, reply)
}

function responseIdOf(reply: Exchange): string | undefined {
  const id = finalResponse(reply)?.['id']
  return typeof id === 'string' ? id : undefined
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
