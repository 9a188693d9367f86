import type { Exchange, RequirementId } from '../../../contract/index.ts'
import { isDeclined, statusText } from '../../conformance/scenario/read.ts'
import { negative, requireChat } from '../checks/common.ts'
import {
  type Commands,
  demand,
  drawChat,
  drawFrom,
  type Operation,
  type Planned,
} from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import {
  addTurn,
  livingChats,
  type Model,
  turnsOf,
  usedV2Chats,
  v2ChatNamed,
  v2MessagesOf,
} from '../model.ts'

interface Mistake {
  readonly requirement: RequirementId
  /** Defect of the request, for messages. */
  readonly what: string
  readonly change?: Readonly<Record<string, unknown>>
  readonly key?: null
}

const ofAnotherType = { of: 'another type' }
const bothLists = {
  what: 'include_tools and exclude_tools',
  change: { exclude_tools: ['get_weather'], include_tools: ['get_time'] },
}

/** Sections 4.3 and 8: mistakes with which a generation must not succeed. */
const mistakes: Readonly<Record<string, Mistake>> = {
  'both tool lists': { requirement: 'V3-TOOLS-01', ...bothLists },
  'no key': { requirement: 'V3-IDEM-01', what: 'no Idempotency-Key', key: null },
  'temperature of another type': {
    requirement: 'V3-GEN-17',
    what: 'a temperature that is an object',
    change: { temperature: ofAnotherType },
  },
  'think of another type': {
    requirement: 'V3-GEN-17',
    what: 'think that is an object',
    change: { think: ofAnotherType },
  },
}

/** Section 4.2: mistakes with which a v2 request must not succeed. */
const v2Mistakes: Readonly<Record<string, Mistake>> = {
  'both tool lists': { requirement: 'V2-GEN-03', ...bothLists },
  'no parent_id': {
    requirement: 'V2-GEN-02',
    what: 'no parent_id',
    change: { parent_id: undefined },
  },
  'parent_id of another type': {
    requirement: 'V2-GEN-05',
    what: 'a parent_id that is an object',
    change: { parent_id: ofAnotherType },
  },
  'no content': { requirement: 'V2-MSG-08', what: 'no content', change: { content: undefined } },
  'content of another type': {
    requirement: 'V2-MSG-09',
    what: 'a content that is an object',
    change: { content: ofAnotherType },
  },
  'think of another type': {
    requirement: 'V2-MSG-09',
    what: 'think that is an object',
    change: { think: ofAnotherType },
  },
}

/** Requests that must be refused and must have no effect. */
export const refusalCommands: Commands = {
  'invalid generation': {
    weight: 4,
    expects: ['V3-GEN-13', 'V3-GEN-17', 'V3-IDEM-01', 'V3-TOOLS-01'],
    shownBy: [{ command: 'read history' }],
    chats: livingChats,
    draw(model, pick) {
      const form = pick(2) === 0 ? 'json' : 'stream'
      const living = livingChats(model)
      // A server may refuse a mistake only the first time.
      const before = drawFrom(
        model.turns.filter(
          ({ kind, chat }) => kind in mistakes && living.some(({ label }) => label === chat),
        ),
        pick,
      )
      if (before !== undefined && pick(2) === 0) {
        return { chat: before.chat, variant: `${before.kind}, ${form}` }
      }
      const chosen = drawChat(living, pick)
      return chosen && { ...chosen, variant: `${drawFrom(Object.keys(mistakes), pick)}, ${form}` }
    },
    simpler: ({ variant = '', ...rest }) =>
      variant.endsWith(', stream')
        ? [{ ...rest, variant: variant.replace(', stream', ', json') }]
        : [],
    run: sendMistake,
  },

  'invalid v2 request': {
    weight: 2,
    kind: 'v2',
    needs: ['V2-GEN-02', 'V2-GEN-03', 'V2-GEN-05', 'V2-MSG-08', 'V2-MSG-09'],
    expects: ['V2-MSG-15'],
    chats: usedV2Chats,
    variants: Object.keys(v2Mistakes),
    run: sendV2Mistake,
  },
}

async function sendMistake(context: ExplorationContext, operation: Operation): Promise<void> {
  const { v3, session, knowledge } = context
  const { id, label: chat } = requireChat(context, operation)
  const [kind = '', form] = (operation.variant ?? '').split(', ')
  const mistake = mistakes[kind]
  const stream = form === 'stream'
  // A refusal proves something only if the same without the mistake is accepted.
  if (mistake === undefined || !knowledge.isAble(stream ? 'stream' : 'generate')) return
  const mark = session.nonce()
  const { change, key } = mistake
  const body = v3.generateBody(id, `Name a color for ${mark}.`, { stream, ...change })
  const options = { ...negative, ...(key === null && { key }) }
  const refused = context.record(await v3.generate(body, options))
  expectRefusal(refused, 'a generation', mistake, 'V3-GEN-13')
  const turn = { label: operation.label, chat, body, marks: [mark], kind }
  context.model = addTurn(context.model, turn)
}

async function sendV2Mistake(
  { model, v2, knowledge, session, record }: ExplorationContext,
  { chat: label = '', variant = '' }: Operation,
): Promise<void> {
  const chat = v2ChatNamed(model, label)
  const message = v2MessagesOf(model, label).at(-1)
  const mistake = v2Mistakes[variant]
  if (chat === undefined || message === undefined || mistake === undefined) return
  const isStore = mistake.requirement.startsWith('V2-MSG')
  // A refusal proves something only if the same without the mistake is accepted.
  if (!knowledge.isAble(isStore ? 'v2 message' : 'v2 reply')) return
  const body = isStore
    ? v2.messageBody(chat.id, `Name a color for ${session.nonce()}.`, mistake.change)
    : v2.generateBody(chat.id, message.id, mistake.change)
  const send = isStore ? v2.message : v2.generate
  const refused = record(await send(body, negative))
  expectRefusal(refused, `a v2 ${isStore ? 'message' : 'generation'}`, mistake, 'V2-MSG-15')
}

/** Expects a request with a mistake to be refused, and not with a server error. */
function expectRefusal(
  refused: Exchange,
  request: string,
  { requirement, what }: Mistake,
  failureRow: RequirementId,
): void {
  const why = `${request} with ${what} was answered ${statusText(refused)}`
  demand(isDeclined(refused), requirement, why, refused)
  demand((refused.response?.status ?? 0) < 500, failureRow, why, refused)
}

/** Each mistake in a chat that has a run, preferably one in which the mistake was refused before. */
export function lastMistakes(model: Model): readonly Planned[] {
  const used = livingChats(model).filter(({ label }) =>
    turnsOf(model, label).some(({ steps }) => steps === 1),
  )
  const inChats = Object.keys(mistakes).flatMap((mistake) => {
    const isKnown = ({ label }: { readonly label: string }) =>
      turnsOf(model, label).some(({ kind }) => kind === mistake)
    const chat = used.find(isKnown) ?? used[0]
    return chat === undefined
      ? []
      : [{ command: 'invalid generation', chat: chat.label, variant: `${mistake}, json` }]
  })
  // Those of a v2 chat use the message with the most replies.
  const [message] = model.v2Messages.toSorted((a, b) => b.replies - a.replies)
  const inV2Chat = Object.keys(message === undefined ? {} : v2Mistakes).map((variant) => ({
    command: 'invalid v2 request',
    chat: message?.chat,
    variant,
  }))
  return [...inChats, ...inV2Chat]
}
