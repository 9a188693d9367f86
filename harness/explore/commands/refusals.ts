import type { RequirementId } from '../../../contract/index.ts'
import { isDeclined, statusText } from '../../conformance/scenario/read.ts'
import { requireLiving } from '../checks/common.ts'
import { type Command, demand, drawFrom, type Operation } from '../command.ts'
import {
  addTurn,
  type ChatState,
  chatNamed,
  livingChats,
  type Model,
  turnsOf,
  type V2Message,
  v2ChatNamed,
  v2MessagesOf,
} from '../model.ts'

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
  async run(context, operation) {
    const { v3, session, knowledge } = context
    const chat = requireLiving(context, operation)
    const [name = '', form] = (operation.variant ?? '').split(', ')
    const mistake = mistakes[name]
    const stream = form === 'stream'
    // A refusal proves something only where the same without the mistake is accepted.
    if (mistake === undefined || !knowledge.isAble(stream ? 'stream' : 'generate')) return
    const mark = session.nonce()
    const body = v3.generateBody(chat.id, `Name a colour for ${mark}.`, { stream, ...mistake.more })
    const options = { role: 'negative', ...(mistake.key === null ? { key: null } : {}) } as const
    const refused = context.record(await v3.generate(body, options))
    const why = `a generation with ${mistake.what} was answered ${statusText(refused)}`
    demand(isDeclined(refused), mistake.row, why, refused)
    demand((refused.response?.status ?? 0) < 500, 'V3-GEN-13', why, refused)
    context.model = addTurn(context.model, {
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

interface V2Mistake {
  readonly what: string
  readonly row: RequirementId
  readonly request: 'store' | 'generate'
  readonly change: Readonly<Record<string, unknown>>
}

const ofAnotherType = { of: 'another type' }

/** Section 4.2: a v2 request with one of these must not succeed. */
const v2Mistakes: Readonly<Record<string, V2Mistake>> = {
  'both tool lists': {
    what: 'include_tools and exclude_tools',
    row: 'V2-GEN-03',
    request: 'generate',
    change: { exclude_tools: ['get_weather'], include_tools: ['get_time'] },
  },
  'no parent_id': {
    what: 'no parent_id',
    row: 'V2-GEN-02',
    request: 'generate',
    change: { parent_id: undefined },
  },
  'parent_id of another type': {
    what: 'a parent_id that is an object',
    row: 'V2-GEN-05',
    request: 'generate',
    change: { parent_id: ofAnotherType },
  },
  'no content': {
    what: 'no content',
    row: 'V2-MSG-08',
    request: 'store',
    change: { content: undefined },
  },
  'content of another type': {
    what: 'a content that is an object',
    row: 'V2-MSG-09',
    request: 'store',
    change: { content: ofAnotherType },
  },
  'think of another type': {
    what: 'think that is an object',
    row: 'V2-MSG-09',
    request: 'store',
    change: { think: ofAnotherType },
  },
}

const invalidV2Request: Command = {
  name: 'invalid v2 request',
  weight: 2,
  kind: 'v2',
  generations: 0,
  needs: ['V2-GEN-02', 'V2-GEN-03', 'V2-GEN-05', 'V2-MSG-08', 'V2-MSG-09'],
  draw(model, pick) {
    const chats = model.v2Chats.filter(({ label }) => latestOf(model, label) !== undefined)
    const chat = drawFrom(chats, pick)
    const variant = drawFrom(Object.keys(v2Mistakes), pick)
    return chat && variant !== undefined ? { chat: chat.label, variant } : undefined
  },
  applies: (model, { chat = '' }) => latestOf(model, chat) !== undefined,
  async run({ model, v2, knowledge, session, record }, { chat: label = '', variant = '' }) {
    const chat = v2ChatNamed(model, label)
    const message = latestOf(model, label)
    const mistake = v2Mistakes[variant]
    if (chat === undefined || message === undefined || mistake === undefined) return
    const isStore = mistake.request === 'store'
    // A refusal proves something only where the same without the mistake is accepted.
    if (!knowledge.isAble(isStore ? 'v2 message' : 'v2 reply')) return
    const body = isStore
      ? v2.messageBody(chat.id, `Name a colour for ${session.nonce()}.`, mistake.change)
      : v2.generateBody(chat.id, message.id, mistake.change)
    const send = isStore ? v2.message : v2.generate
    const refused = record(await send(body, { role: 'negative' }))
    const request = isStore ? 'message' : 'generation'
    const why = `a v2 ${request} with ${mistake.what} was answered ${statusText(refused)}`
    demand(isDeclined(refused), mistake.row, why, refused)
    demand((refused.response?.status ?? 0) < 500, 'V2-MSG-15', why, refused)
  },
}

function latestOf(model: Model, chat: string): V2Message | undefined {
  return v2MessagesOf(model, chat).at(-1)
}

/** Each mistake in a chat that has a run, and where it was refused before if there is one. */
export function lastMistakes(model: Model): readonly Operation[] {
  return [...lastV3Mistakes(model), ...lastV2Mistakes(model)]
}

/** Each mistake about the message that was answered most often. */
function lastV2Mistakes(model: Model): readonly Operation[] {
  const [message] = model.v2Messages.toSorted((a, b) => b.replies - a.replies)
  if (message === undefined) return []
  const { name: command } = invalidV2Request
  return Object.keys(v2Mistakes).map((variant) => ({
    command,
    label: `last v2 ${variant}`,
    chat: message.chat,
    variant,
  }))
}

function lastV3Mistakes(model: Model): readonly Operation[] {
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

export const refusalCommands: readonly Command[] = [invalidGeneration, invalidV2Request]
