import { randomUUID } from 'node:crypto'
import {
  answerJson,
  bodyJson,
  chatIdNames,
  findId,
  isObject,
  isUuid,
} from '../../../contract/index.ts'
import { withJournal } from '../cleanup/journal.ts'
import { isDeclined, succeeded } from '../scenario/read.ts'
import {
  brief,
  type Detected,
  describeProbe,
  nameFor,
  type ProbeContext,
  route,
  unknown,
} from './probe.ts'

export type FoundV2Chat = 'create' | 'anyUuid'

const guess = '/api/v2/chat'

/**
 * Finds the way to create a v2 chat, which the document does not show: a guessed route, or storing
 * a message under any UUID. Either counts only if a message is stored in it as section 2.3 says.
 */
export async function findV2Chat(probing: ProbeContext): Promise<Detected<FoundV2Chat>> {
  const { client, journal } = probing
  const name = nameFor('v2 chat', probing)
  const about = { kind: 'v2 chat', name, scenario: 'init' } as const
  const created = await withJournal(
    journal,
    about,
    () => client.send({ surface: 'v2', method: 'POST', path: guess, json: { name } }),
    (answer) => findId(answerJson(answer), chatIdNames),
  )
  const evidence = [describeProbe(created, 'with a guessed body')]
  const id = succeeded(created) ? findId(answerJson(created), chatIdNames) : undefined
  if (id !== undefined) {
    const stored = await storesMessage(id, probing, 'into it')
    evidence.push(stored.sentence)
    await removeGuessed(id, probing)
    if (stored.done) return { value: 'create', evidence }
  }
  const any = randomUUID()
  const stored = await storesMessage(any, probing, 'under a fresh UUID')
  if (stored.done) {
    journal({ event: 'created', kind: 'v2 chat', name: any, id: any, scenario: 'init' })
  }
  evidence.push(stored.sentence)
  return stored.done ? { value: 'anyUuid', evidence } : unknown(...evidence)
}

async function storesMessage(chat: string, { client, models }: ProbeContext, where: string) {
  const json = { chat_id: chat, content: 'Name a colour.', model_id: models.main }
  const stored = await client.send({ ...route('v2.message'), json })
  const body = bodyJson(stored)
  const isStored = !isDeclined(stored) && isObject(body) && isUuid(body['id'])
  // A UUID may be shown in capitals.
  const done = isStored && String(body['chat_id']).toLowerCase() === chat.toLowerCase()
  return { done, sentence: brief(stored, where) }
}

/** Deletes a chat that a guessed route created; a refusal leaves it in the journal. */
async function removeGuessed(id: string, { client, journal }: ProbeContext): Promise<void> {
  const path = `${guess}/${encodeURIComponent(id)}`
  const deleted = await client.send({ surface: 'v2', method: 'DELETE', path, role: 'cleanup' })
  if (succeeded(deleted)) journal({ event: 'deleted', kind: 'v2 chat', id })
}
