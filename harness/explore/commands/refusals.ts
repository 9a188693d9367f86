import type { RequirementId } from '../../../contract/index.ts'
import { isDeclined, statusText } from '../../conformance/scenario/read.ts'
import { requireLiving } from '../checks/common.ts'
import { type Command, demand, drawFrom, type Operation } from '../command.ts'
import { addTurn, type ChatState, chatNamed, livingChats, type Model, turnsOf } from '../model.ts'

interface Mistake {
  /** Defect of the request, for the message. */
  readonly what: string
  readonly row: RequirementId
  readonly more: Readonly<Record<string, unknown>>
  readonly key?: null
}

/** Sections 4.3 and 8: a generation with one of these must not succeed. */
const mistakes: Readonly<Record<string, Mistake>> = {
  'both tool lists': {
    what: 'include_tools and exclude_tools',
    row: 'V3-TOOLS-01',
    more: { exclude_tools: ['get_weather'], include_tools: ['get_time'] },
  },
  'no key': { what: 'no Idempotency-Key', row: 'V3-IDEM-01', more: {}, key: null },
  'temperature of another type': {
    what: 'a temperature that is an object',
    row: 'V3-GEN-17',
    more: { temperature: { degrees: 1 } },
  },
  'think of another type': {
    what: 'think that is an object',
    row: 'V3-GEN-17',
    more: { think: { on: true } },
  },
}

/** A request that must be refused, and must leave no trace. */
const invalidGeneration: Command = {
  name: 'invalid generation',
  weight: 4,
  generations: 0,
  draw(model, pick) {
    const form = pick(2) === 0 ? 'json' : 'stream'
    // A mistake may be refused once.
    const before = drawFrom(
      model.turns.filter(({ kind, chat }) => kind in mistakes && isLiving(model, chat)),
      pick,
    )
    if (before !== undefined && pick(2) === 0) {
      return { chat: before.chat, variant: `${before.kind}, ${form}` }
    }
    const chat = drawFrom(livingChats(model), pick)
    const mistake = drawFrom(Object.keys(mistakes), pick)
    return chat && { chat: chat.label, variant: `${mistake}, ${form}` }
  },
  applies: (model, { chat }) => isLiving(model, chat),
  async run(world, operation) {
    const { v3, session, knowledge } = world
    const chat = requireLiving(world, operation)
    const [name = '', form] = (operation.variant ?? '').split(', ')
    const mistake = mistakes[name]
    const stream = form === 'stream'
    // A refusal proves something only where the same without the mistake is accepted.
    if (mistake === undefined || !knowledge.isAble(stream ? 'stream' : 'generate')) return
    const mark = session.nonce()
    const body = v3.generateBody(chat.id, `Name a colour for ${mark}.`, { stream, ...mistake.more })
    const options = { role: 'negative', ...(mistake.key === null ? { key: null } : {}) } as const
    const refused = world.act(await v3.generate(body, options))
    const why = `a generation with ${mistake.what} was answered ${statusText(refused)}`
    demand(isDeclined(refused), mistake.row, why, refused)
    demand((refused.response?.status ?? 0) < 500, 'V3-GEN-13', why, refused)
    world.model = addTurn(world.model, {
      label: operation.label,
      chat: chat.label,
      key: '',
      body,
      marks: [mark],
      steps: 0,
      kind: name,
      answer: [],
      responseId: undefined,
      isRepeated: false,
    })
  },
  simpler: ({ variant = '', ...rest }) =>
    variant.endsWith(', stream')
      ? [{ ...rest, variant: variant.replace(', stream', ', json') }]
      : [],
}

/** Each mistake in a chat that has a run, and where it was refused before if there is one. */
export function lastMistakes(model: Model): readonly Operation[] {
  const used = livingChats(model).filter((chat) =>
    turnsOf(model, chat.label).some(({ steps }) => steps === 1),
  )
  return Object.keys(mistakes).flatMap((mistake) => {
    const isKnown = ({ label }: ChatState) =>
      turnsOf(model, label).some(({ kind }) => kind === mistake)
    const chat = used.find(isKnown) ?? used[0]
    if (chat === undefined) return []
    const label = `last ${mistake}`
    return [
      { command: invalidGeneration.name, label, chat: chat.label, variant: `${mistake}, json` },
    ]
  })
}

function isLiving(model: Model, chat: string | undefined): boolean {
  return chatNamed(model, chat)?.deleted === false
}

export const refusalCommands: readonly Command[] = [invalidGeneration]
