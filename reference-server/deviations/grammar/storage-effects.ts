/** Effects on stored state: the context of the model, the history, and access to them. */
import { randomUUID } from 'node:crypto'
import type { Turn } from '../../model/types.ts'
import { type Effect, paths } from './edits.ts'
import type { FaultyOperation } from './schemas.ts'

export function storageEffects(operation: FaultyOperation): readonly Effect[] {
  return [
    ...(remembers.includes(operation) ? contextEffects(operation) : []),
    ...(operation === 'v3.generate' ? historyEffects : []),
    ...(operation === 'v3.generate' || operation === 'v2.message' ? [leavesAChat] : []),
    ...(ofAChat.includes(operation) ? [otherVersion] : []),
    ...(isOwned(operation) ? [otherCaller] : []),
  ]
}

const remembers: readonly FaultyOperation[] = ['openai.chat', 'v2.generate', 'v3.generate']
const ofAChat: readonly FaultyOperation[] = ['v2.message', 'v3.generate', 'v3.history']

/** Effects on the context, for requests that have one. */
function contextEffects(operation: FaultyOperation): readonly Effect[] {
  const needs = operation === 'openai.chat' ? 'messages: several elements' : undefined
  // An answer of one token shows no fact.
  const not = [
    'max_tokens: of 1',
    ...(operation === 'openai.chat'
      ? ['messages: one']
      : ['occurrence: first', 'parent_id: not given']),
  ]
  const turns = (
    family: Effect['family'],
    name: string,
    change: (turns: readonly Turn[]) => readonly Turn[],
  ): Effect => ({
    family,
    name,
    ...(needs === undefined ? {} : { needs }),
    not,
    model: (request) => ({ ...request, turns: change(request.turns) }),
  })
  const earlier = (change: (turn: Turn) => Turn) => (all: readonly Turn[]) =>
    all.map((turn, at) => (at === all.length - 1 ? turn : change(turn)))
  return [
    turns('lose', 'earlier turns are not read', (all) => all.slice(-1)),
    turns('lose', 'the first turn is not read', (all) => (all.length > 1 ? all.slice(1) : all)),
    turns('lose', 'turns before the latest three are not read', (all) => all.slice(-3)),
    turns(
      'lose',
      'of earlier turns only the first line is read',
      earlier((turn) => ({ ...turn, text: turn.text.split('\n')[0] ?? '' })),
    ),
    turns(
      'mangle',
      'earlier turns are read in upper case',
      earlier((turn) => ({ ...turn, text: turn.text.toUpperCase() })),
    ),
    {
      family: 'leak',
      name: 'turns of another chat are read',
      not: ['max_tokens: of 1'],
      model: (request, foreign) => ({ ...request, turns: [...foreign, ...request.turns] }),
    },
  ]
}

const historyEffects: readonly Effect[] = [
  { family: 'lose', name: 'the turn is not stored', stores: () => [] },
  {
    family: 'lose',
    name: 'the answer is not stored',
    stores: (chat, run) => [[chat, { ...run, output: [] }]],
  },
  {
    family: 'lose',
    name: 'the input is not stored',
    stores: (chat, run) => [[chat, { ...run, input: [] }]],
  },
  {
    family: 'duplicate',
    name: 'the turn is stored twice',
    stores: (chat, run) => [
      [chat, run],
      [chat, { ...run, id: randomUUID() }],
    ],
  },
  {
    family: 'leak',
    name: 'the turn is stored in another chat as well',
    stores: (chat, run, other = chat) => [
      [chat, run],
      [other, { ...run, id: randomUUID() }],
    ],
  },
]

const otherVersion: Effect = {
  family: 'accept',
  name: 'a chat of the other version is accepted',
  finds: (chat) => ({ ...chat, version: chat.version === 'v2' ? 'v3' : 'v2' }),
}

const otherCaller: Effect = {
  family: 'leak',
  name: 'the caller is taken for the first one',
  needs: 'caller: second',
  incoming: (call) => ({ ...call, caller: 'caller-1' }),
}

function isOwned(operation: FaultyOperation): boolean {
  return /^v3\.(chat|chats|favorites|history|attachments|chatAttachments)$/.test(operation)
}

/** A chat that is created implicitly is named after its first message. */
const leavesAChat: Effect = {
  family: 'duplicate',
  name: 'a refused request leaves a chat',
  only: paths,
  afterwards: ({ store, clock }, reply, { call, text }) => {
    if (reply.status < 400 || call.caller === '') return false
    const now = clock.now()
    void store.chats.create({
      id: randomUUID(),
      owner: call.caller,
      name: text.slice(0, 80),
      version: 'v3',
      favorite: false,
      createdAt: now,
      updatedAt: now,
    })
    return true
  },
}

export const knowledgeEffects: readonly Effect[] = [
  { family: 'leak', name: 'documents of other bases are found', searchesAll: true },
]
