import { randomUUID } from 'node:crypto'
import {
  answerJson,
  asObject,
  asString,
  bodyJson,
  chatIdNames,
  type Exchange,
  findId,
  isObject,
  isUuid,
} from '../../../contract/index.ts'
import { withJournal } from '../cleanup/journal.ts'
import { isDeclined, succeeded } from '../scenario/read.ts'
import { attachmentIn, knowledgePrefixes, multipart } from '../scenario/routes/uploads.ts'
import { route } from '../session/requests/wire-request.ts'
import {
  brief,
  type Detected,
  describeProbe,
  nameFor,
  type ProbeContext,
  unknown,
} from './probe.ts'

/** Detects if a small text file is accepted, in a part with the common name `file` (section 4.3). */
export async function findAttachments(probing: ProbeContext): Promise<Detected<true>> {
  const { client, journal, tag } = probing
  const name = `${nameFor('file', tag)}.txt`
  const bytes = new TextEncoder().encode('One line of text.\n')
  const style = { boundary: `chatgen-${tag}`, typesParts: false }
  const raw = multipart({}, 'file', { name, type: 'text/plain', bytes }, style)
  const idIn = (answer: Exchange) =>
    asString(asObject(attachmentIn(answerJson(answer), name))?.['id'])
  const about = { kind: 'attachment', name, scenario: 'init' } as const
  const send = () => client.send({ ...route('v3.upload'), raw })
  const uploaded = await withJournal(journal, about, send, idIn)
  const observation = describeProbe(uploaded, 'with a text file in the part "file"')
  if (isDeclined(uploaded)) return unknown(observation)
  const hasId = idIn(uploaded) !== undefined
  const hint = 'The answer has no attachment with an id; shapes.attachment can point to it'
  return { value: true, evidence: hasId ? [observation] : [observation, hint] }
}

/** Detects if the two prefixes of section 4.3 answer; the routes below them are not documented. */
export async function findKnowledge({ client }: ProbeContext): Promise<Detected<true>> {
  const [v3, plain] = await Promise.all(
    knowledgePrefixes.map((path) => client.send({ surface: 'v3', method: 'GET', path })),
  )
  if (!v3 || !plain) return unknown()
  const evidence = [describeProbe(v3), describeProbe(plain)]
  const body = bodyJson(v3)
  const answers = !isDeclined(v3) && (isObject(body) || Array.isArray(body))
  return answers ? { value: true, evidence } : unknown(...evidence)
}

export type FoundV2Chat = 'create' | 'anyUuid'

const guess = '/api/v2/chat'

/**
 * Detects how to create a v2 chat, which the document does not show: by a guessed route, or by storing a
 * message under any UUID. Either counts only if a message is stored in it as section 2.3 says.
 */
export async function findV2Chat(probing: ProbeContext): Promise<Detected<FoundV2Chat>> {
  const { client, journal } = probing
  const name = nameFor('v2 chat', probing.tag)
  const about = { kind: 'v2 chat', name, scenario: 'init' } as const
  const send = () => client.send({ surface: 'v2', method: 'POST', path: guess, json: { name } })
  const idIn = (answer: Exchange) => findId(answerJson(answer), chatIdNames)
  const created = await withJournal(journal, about, send, idIn)
  const evidence = [describeProbe(created, 'with a guessed body')]
  const id = succeeded(created) ? idIn(created) : undefined
  if (id !== undefined) {
    const stored = await storesMessage(id, probing, 'into it')
    evidence.push(stored.sentence)
    const path = `${guess}/${encodeURIComponent(id)}`
    const deleted = await client.send({ surface: 'v2', method: 'DELETE', path, role: 'cleanup' })
    // A refusal leaves it in the journal.
    if (succeeded(deleted)) journal({ event: 'deleted', kind: 'v2 chat', id })
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
  const json = { chat_id: chat, content: 'Name a color.', model_id: models.main }
  const stored = await client.send({ ...route('v2.message'), json })
  const body = bodyJson(stored)
  const isStored = !isDeclined(stored) && isObject(body) && isUuid(body['id'])
  // A UUID may be in upper case.
  const done = isStored && String(body['chat_id']).toLowerCase() === chat.toLowerCase()
  return { done, sentence: brief(stored, where) }
}
