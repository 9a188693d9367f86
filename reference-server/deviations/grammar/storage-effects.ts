/** Effects on stored state: the context of the model, the history, and access to them. */
import { randomUUID } from 'node:crypto'
import type { Turn } from '../../model/types.ts'
import { newChat } from '../../surfaces/chats.ts'
import type { FaultyOperation } from '../patches/requests.ts'
import { type Effect, effectTable, paths } from './edits.ts'
import type { Seams } from './injection.ts'

export function storageEffects(operation: FaultyOperation): readonly Effect[] {
  return [
    ...(remembers.includes(operation) ? contextEffects(operation) : []),
    ...(operation === 'v3.generate' ? historyEffects : []),
    ...(operation === 'v3.generate' || operation === 'v2.message' ? leavesAChat : []),
    ...(ofAChat.includes(operation) ? otherVersion : []),
    ...(owned.test(operation) ? otherCaller : []),
  ]
}

const remembers: readonly FaultyOperation[] = ['openai.chat', 'v2.generate', 'v3.generate']
const ofAChat: readonly FaultyOperation[] = ['v2.message', 'v3.generate', 'v3.history']
const owned = /^v3\.(chat|chats|favorites|history|attachments|chatAttachments)$/

/** Effects on the context, for requests that have one. */
function contextEffects(operation: FaultyOperation): readonly Effect[] {
  const isOfMessages = operation === 'openai.chat'
  const needs = isOfMessages ? ' (messages: several elements)' : ''
  const not = isOfMessages ? ['messages: one'] : ['occurrence: first', 'parent_id: not given']
  const turns = (
    change: (turns: readonly Turn[]) => readonly Turn[],
  ): Seams & Pick<Effect, 'not'> => ({
    not: [...ofOneToken, ...not],
    model: (request) => ({ ...request, turns: change(request.turns) }),
  })
  const earlier = (change: (text: string) => string) =>
    turns((all) => [
      ...all.slice(0, -1).map((turn) => ({ ...turn, text: change(turn.text) })),
      ...all.slice(-1),
    ])
  return effectTable({
    [`lose: earlier turns are not read${needs}`]: turns((all) => all.slice(-1)),
    [`lose: the first turn is not read${needs}`]: turns((all) =>
      all.length > 1 ? all.slice(1) : all,
    ),
    [`lose: turns before the latest three are not read${needs}`]: turns((all) => all.slice(-3)),
    [`lose: of earlier turns only the first line is read${needs}`]: earlier(
      (text) => text.split('\n')[0] ?? '',
    ),
    [`mangle: earlier turns are read in upper case${needs}`]: earlier((text) => text.toUpperCase()),
    'leak: turns of another chat are read': {
      not: ofOneToken,
      model: (request, foreign) => ({ ...request, turns: [...foreign, ...request.turns] }),
    },
  })
}

/** An answer of one token shows no fact. */
const ofOneToken = ['max_tokens: of 1']

const historyEffects = effectTable({
  'lose: the turn is not stored': { stores: () => [] },
  'lose: the answer is not stored': { stores: (chat, run) => [[chat, { ...run, output: [] }]] },
  'lose: the input is not stored': { stores: (chat, run) => [[chat, { ...run, input: [] }]] },
  'duplicate: the turn is stored twice': {
    stores: (chat, run) => [
      [chat, run],
      [chat, { ...run, id: randomUUID() }],
    ],
  },
  'duplicate: the answer is stored twice': {
    stores: (chat, run) => [[chat, { ...run, output: run.output.flatMap((item) => [item, item]) }]],
  },
  'leak: the turn is stored in another chat as well': {
    stores: (chat, run, other = chat) => [
      [chat, run],
      [other, { ...run, id: randomUUID() }],
    ],
  },
})

const otherVersion = effectTable({
  'accept: a chat of the other version is accepted': {
    finds: (chat) => ({ ...chat, version: chat.version === 'v2' ? 'v3' : 'v2' }),
  },
})

const otherCaller = effectTable({
  'leak: the caller is taken for the first one (caller: second)': {
    incoming: (call) => ({ ...call, caller: 'caller-1' }),
  },
})

/** A chat that is created implicitly is named after its first message. */
const leavesAChat = effectTable({
  'duplicate: a refused request leaves a chat': {
    only: paths,
    afterwards: (services, reply, { call, text }) => {
      if (reply.status < 400 || call.caller === '') return false
      void services.store.chats.create(newChat(services, call.caller, 'v3', text.slice(0, 80)))
      return true
    },
  },
})

export const knowledgeEffects = effectTable({
  'leak: documents of other bases are found': { searchesAll: true },
})
