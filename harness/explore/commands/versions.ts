import { bodyText, type Exchange, type RequirementId } from '../../../contract/index.ts'
import { isDeclined, statusText } from '../../conformance/scenario/read.ts'
import { requireLiving } from '../checks/common.ts'
import { type Command, demand, drawFrom } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import {
  addTurn,
  callByV3,
  chatNamed,
  livingChats,
  type Model,
  v2ChatNamed,
  v2MessagesOf,
} from '../model.ts'

/** Calls on a chat of the other version (sections 7 and 9): refused with a hint, and without a trace. */
const v2OnV3: Command = {
  name: 'v2 call on a v3 chat',
  weight: 2,
  generations: 0,
  needs: ['VER-07', 'VER-08', 'VER-09'],
  draw(model, pick) {
    const chat = drawFrom(livingChats(model), pick)
    const variant = pick(3) === 0 ? 'generate' : 'store'
    return chat && { chat: chat.label, variant }
  },
  applies: (model, { chat }) => chatNamed(model, chat)?.deleted === false,
  async run(context, operation) {
    const chat = requireLiving(context, operation)
    const { v2, session } = context
    const role = { role: 'negative' } as const
    if (operation.variant === 'generate') {
      const body = v2.generateBody(chat.id, session.uuid())
      const refused = context.record(await v2.generate(body, role))
      expectHint(context, 'VER-08', 'POST /api/v2/message/generate', '/api/v3', refused)
      return
    }
    const mark = session.nonce()
    const body = v2.messageBody(chat.id, `Name a colour for ${mark}.`)
    const refused = context.record(await v2.message(body, role))
    expectHint(context, 'VER-07', 'POST /api/v2/message', '/api/v3', refused)
    context.model = addTurn(context.model, {
      label: operation.label,
      chat: chat.label,
      key: '',
      body,
      marks: [mark],
      steps: 0,
      kind: 'v2 call',
      answer: [],
      responseId: undefined,
      isRepeated: false,
    })
  },
}

export const v3Calls = [
  ...['history', 'read', 'rename', 'favorite', 'unfavorite', 'delete'],
  ...['generate', 'stream'],
] as const

const v3OnV2: Command = {
  name: 'v3 call on a v2 chat',
  weight: 3,
  kind: 'v2',
  generations: 0,
  needs: ['VER-03', 'VER-04', 'VER-05', 'VER-06'],
  draw(model, pick) {
    const chat = drawFrom(withMessages(model), pick)
    return chat && { chat: chat.label, variant: drawFrom(v3Calls, pick) ?? 'read' }
  },
  // A v2 chat may come to be with its first message.
  applies: (model, { chat = '' }) => v2MessagesOf(model, chat).length > 0,
  async run(context, operation) {
    const { variant = 'read' } = operation
    const chat = v2ChatNamed(context.model, operation.chat)
    if (chat === undefined) return
    const refused = context.record(await callV3(context, chat.id, variant))
    context.model = callByV3(context.model, chat.label)
    const isGeneration = variant === 'generate' || variant === 'stream'
    const row = isGeneration ? 'VER-04' : variant === 'history' ? 'VER-03' : 'VER-05'
    expectHint(context, row, `${refused.request.method} (${variant})`, '/api/v2', refused)
  },
}

function withMessages(model: Model) {
  return model.v2Chats.filter(({ label }) => v2MessagesOf(model, label).length > 0)
}

function callV3(context: ExplorationContext, id: string, variant: string): Promise<Exchange> {
  const { v3, chats, session } = context
  const role = { role: 'negative' } as const
  switch (variant) {
    case 'history':
      return v3.history(id, {}, role)
    case 'rename':
      return chats.rename(id, session.name(), role)
    case 'favorite':
      return chats.addFavorite(id, role)
    case 'unfavorite':
      return chats.removeFavorite(id, role)
    case 'delete':
      return chats.remove(id, role)
    case 'generate':
    case 'stream': {
      const input = `Name a colour for ${session.nonce()}.`
      return v3.generate(v3.generateBody(id, input, { stream: variant === 'stream' }), role)
    }
    default:
      return chats.get(id, role)
  }
}

function expectHint(
  { knowledge }: ExplorationContext,
  row: RequirementId,
  what: string,
  prefix: string,
  refused: Exchange,
): void {
  const hasHint = isDeclined(refused) && bodyText(refused).replaceAll('\\/', '/').includes(prefix)
  if (hasHint) knowledge.prove(row)
  else if (knowledge.isAble(row)) {
    const why = `${what} on a chat of another version was answered ${statusText(refused)} without ${prefix}`
    demand(false, row, why, refused)
  }
}

export const versionCommands: readonly Command[] = [v2OnV3, v3OnV2]
