import { bodyText, type Exchange, namesOf, type RequirementId } from '../../../contract/index.ts'
import { isDeclined, statusText } from '../../conformance/scenario/read.ts'
import { negative, requireChat } from '../checks/common.ts'
import { type Commands, demand, type Operation } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import { addTurn, callByV3, livingChats, usedV2Chats, v2ChatNamed } from '../model.ts'
import { callV3, v3Calls } from '../turns.ts'

/** Calls on a chat of the other version (sections 7 and 9): refused with a hint and without effect. */
export const versionCommands: Commands = {
  'v2 call on a v3 chat': {
    weight: 2,
    needs: ['VER-07', 'VER-08', 'VER-09'],
    chats: livingChats,
    variants: ['generate', 'store', 'store'],
    run: callV2,
  },

  'v3 call on a v2 chat': {
    weight: 3,
    kind: 'v2',
    needs: ['VER-03', 'VER-04', 'VER-05', 'VER-06'],
    // A v2 chat may be created by its first message.
    chats: usedV2Chats,
    variants: v3Calls,
    async run(context, { chat: label, variant = 'read' }) {
      const chat = v2ChatNamed(context.model, label)
      if (chat === undefined) return
      const refused = context.record(await callV3(context, chat.id, variant))
      context.model = callByV3(context.model, chat.label)
      const isGeneration = variant === 'generate' || variant === 'stream'
      const requirement = isGeneration ? 'VER-04' : variant === 'history' ? 'VER-03' : 'VER-05'
      expectHint(context, requirement, `${refused.request.method} (${variant})`, 'v2', refused)
    },
  },
}

async function callV2(context: ExplorationContext, operation: Operation): Promise<void> {
  const { v2, session } = context
  const { id, label: chat } = requireChat(context, operation)
  if (operation.variant === 'generate') {
    const body = v2.generateBody(id, session.uuid())
    const refused = context.record(await v2.generate(body, negative))
    expectHint(context, 'VER-08', 'POST /api/v2/message/generate', 'v3', refused)
    return
  }
  const mark = session.nonce()
  const body = v2.messageBody(id, `Name a color for ${mark}.`)
  const refused = context.record(await v2.message(body, negative))
  expectHint(context, 'VER-07', 'POST /api/v2/message', 'v3', refused)
  const turn = { label: operation.label, chat, body, marks: [mark], kind: 'v2 call' }
  context.model = addTurn(context.model, turn)
}

function expectHint(
  { knowledge, session }: ExplorationContext,
  requirement: RequirementId,
  what: string,
  version: 'v2' | 'v3',
  refused: Exchange,
): void {
  const prefixes = namesOf(session.context.setup.profile, version)
  const text = bodyText(refused).replaceAll('\\/', '/')
  const hasHint = isDeclined(refused) && prefixes.some((prefix) => text.includes(prefix))
  if (hasHint) knowledge.prove(requirement)
  else if (knowledge.isAble(requirement)) {
    const why = `${what} on a chat of another version was answered ${statusText(refused)} without ${prefixes.at(-1)}`
    demand(false, requirement, why, refused)
  }
}
