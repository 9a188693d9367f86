import { bodyText, type Exchange, type RequirementId, succeeded } from '../../../contract/index.ts'
import { isDeclined, statusText } from '../../conformance/scenario/read.ts'
import { requireLiving } from '../checks/common.ts'
import { type Command, demand, drawFrom, type World } from '../command.ts'
import { addTurn, chatNamed, livingChats } from '../model.ts'

/** Calls on a chat of the other version (sections 7 and 9): refused with a hint, and without a trace. */
const v2OnV3: Command = {
  name: 'v2 call on a v3 chat',
  weight: 1,
  generations: 0,
  needs: ['VER-07', 'VER-09'],
  draw(model, pick) {
    const chat = drawFrom(livingChats(model), pick)
    return chat && { chat: chat.label }
  },
  applies: (model, { chat }) => chatNamed(model, chat)?.deleted === false,
  async run(world, operation) {
    const chat = requireLiving(world, operation)
    const { v2, session } = world
    const mark = session.nonce()
    const body = v2.messageBody(chat.id, `Name a colour for ${mark}.`)
    const refused = world.act(await v2.message(body, { role: 'negative' }))
    expectHint(world, 'VER-07', 'POST /api/v2/message', '/api/v3', refused)
    world.model = addTurn(world.model, {
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

const v3Calls = ['history', 'read', 'rename', 'favorite', 'unfavorite', 'delete'] as const

const v3OnV2: Command = {
  name: 'v3 call on a v2 chat',
  weight: 2,
  generations: 0,
  needs: ['VER-03', 'VER-05', 'VER-06'],
  draw: (_model, pick) => ({ variant: drawFrom(v3Calls, pick) ?? 'read' }),
  applies: () => true,
  async run(world, { variant = 'read' }) {
    const { v2, v3, chats } = world
    const id = await world.v2Chat()
    const role = { role: 'negative' } as const
    const store = () => v2.message(v2.messageBody(id, 'Name a colour.'), { role: 'probe' })
    // A v2 chat may come to be with its first message.
    const before = world.act(await store())
    if (!succeeded(before)) return
    const calls: Readonly<Record<string, () => Promise<Exchange>>> = {
      history: () => v3.history(id, {}, role),
      read: () => chats.get(id, role),
      rename: () => chats.rename(id, world.session.name(), role),
      favorite: () => chats.addFavorite(id, role),
      unfavorite: () => chats.removeFavorite(id, role),
      delete: () => chats.remove(id, role),
    }
    const call = calls[variant]
    if (call === undefined) return
    const refused = world.act(await call())
    const row: RequirementId = variant === 'history' ? 'VER-03' : 'VER-05'
    expectHint(world, row, `${refused.request.method} (${variant})`, '/api/v2', refused)
    const after = world.act(await store())
    const why = `a v2 chat takes no message any more (${statusText(after)}) after a v3 call`
    demand(succeeded(after), 'VER-06', why, refused, after)
  },
}

function expectHint(
  { knowledge }: World,
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
