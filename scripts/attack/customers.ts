import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { surfaces } from '../../contract/index.ts'
import type { TargetProfile } from '../../harness/conformance/profile/index.ts'
import { createRandomPicker, toUuid } from '../../harness/conformance/session/identities.ts'
import {
  type ClientProgram,
  nodeClients,
  openClient,
  python,
  pythonClients,
} from '../clients/program.ts'

export const clients = ['curl', ...pythonClients, ...nodeClients]
const sdks = ['openai-python', 'openai-node', 'ai', 'langchain']

type Send = ClientProgram['send']
type Pick = (below: number) => number
type Sentences = readonly string[]

/** Languages of chatterbot-corpus that certifications write as well. */
const spoken = /^(english|german|french|spanish|portuguese|russian|hebrew|japanese|chinese|korean)$/

/** Sentences that people wrote to a chat program, by language: chatterbot-corpus of PyPI. */
export function readSentences(): readonly Sentences[] {
  const code = 'import chatterbot_corpus; print(chatterbot_corpus.__path__[0])'
  const data = `${execFileSync(python, ['-c', code], { encoding: 'utf8' }).trim()}/data`
  return readdirSync(data)
    .filter((name) => spoken.test(name))
    .map((language) => {
      const files = readdirSync(`${data}/${language}`).filter((name) => name.endsWith('.yml'))
      return files.flatMap((name) => {
        const { conversations } = parse(readFileSync(`${data}/${language}/${name}`, 'utf8'))
        return conversations.flat().filter((text: unknown) => typeof text === 'string')
      })
    })
}

/** Up to three programs with habits of their own, each in up to four processes, which hold conversations. */
export async function actAsCustomer(
  { baseUrl, apiKey = '', otherKey = apiKey }: TargetProfile,
  languages: readonly Sentences[],
  signal: AbortSignal,
): Promise<void> {
  const pick = createRandomPicker(randomUUID())
  const home = oneOf(languages, pick)
  const programs = Array.from({ length: oneOf([1, 1, 2, 2, 3], pick) }, () => habitsOf(pick))
  const processes = programs.flatMap((habits) => {
    const key = oneOf([apiKey, apiKey, otherKey], pick)
    return Array.from({ length: oneOf([1, 2, 4], pick) }, async () => {
      const client = openClient(habits.client, baseUrl, key)
      const send: Send = async (call) => {
        await pause(-Math.log(1 - pick(1_000) / 1_000) * habits.pauseMs)
        return client.send(call)
      }
      const list = habits.surface === 'v3' ? '/api/v3/chat?limit=20' : '/api/openai/models'
      if (habits.lists) await send({ method: 'GET', path: list })
      while (!signal.aborted) {
        const language = pick(6) === 0 ? oneOf(languages, pick) : home
        const write = () =>
          Array.from({ length: 1 + pick(habits.sentences) }, () => oneOf(language, pick)).join(' ')
        await conversations[habits.surface](send, { ...habits, write }, pick)
      }
      await client.close()
    })
  })
  await Promise.all(processes)
}

/** Habits of a program, the same in all of its conversations. */
function habitsOf(pick: Pick) {
  const surface = oneOf(surfaces, pick)
  const able = clients.filter((name) => surface === 'openai' || !sdks.includes(name))
  return {
    surface,
    client: oneOf(able, pick),
    /** Mean pause before a request, in milliseconds. */
    pauseMs: oneOf([0, 10, 50, 200], pick),
    /** Maximum sentences of a message. */
    sentences: 1 + pick(4),
    turns: 1 + pick(4),
    instructs: pick(2) === 0,
    lists: pick(2) === 0,
    reads: pick(2) === 0,
    deletes: pick(3) > 0,
    options: {
      ...(pick(2) === 0 && { stream: true }),
      ...(pick(2) === 0 && { temperature: pick(11) / 10 }),
      ...(pick(2) === 0 && { max_tokens: oneOf([256, 500, 1_000, 2_048], pick) }),
    },
  } as const
}

type Habits = ReturnType<typeof habitsOf> & { readonly write: () => string }

const model = 'svc-main-model'

/** Conversations by surface; one request in two hundred names a model that does not exist. */
const conversations = {
  async openai(send: Send, { write, instructs, options, turns }: Habits, pick: Pick) {
    const messages = instructs ? [{ role: 'system', content: write() }] : []
    for (let turn = pick(turns); turn >= 0; turn -= 1) {
      messages.push({ role: 'user', content: write() })
      const body = { model: nameModel(pick), messages, ...options }
      const answer = await send({ method: 'POST', path: '/api/openai/chat/completions', body })
      messages.push({ role: 'assistant', content: contentIn(answer) })
    }
  },
  async v3(send: Send, { write, reads, deletes, options, turns }: Habits, pick: Pick) {
    const chat = idIn(await send({ method: 'POST', path: '/api/v3/chat', body: { name: write() } }))
    for (let turn = pick(turns); turn >= 0; turn -= 1) {
      const key = toUuid(`${chat}/${turn}`)
      const body = { chat_id: chat, model_id: nameModel(pick), input: write(), ...options }
      await send({ method: 'POST', path: '/api/v3/message/generate', key, body })
    }
    if (reads) await send({ method: 'GET', path: `/api/v3/message?chat_id=${chat}` })
    if (deletes) await send({ method: 'DELETE', path: `/api/v3/chat/${chat}` })
  },
  async v2(send: Send, { write, deletes, turns }: Habits, pick: Pick) {
    const chat = idIn(await send({ method: 'POST', path: '/api/v2/chat', body: { name: write() } }))
    for (let turn = pick(turns); turn >= 0; turn -= 1) {
      const message = { chat_id: chat, content: write(), model_id: nameModel(pick) }
      const stored = await send({ method: 'POST', path: '/api/v2/message', body: message })
      const body = { chat_id: chat, parent_id: idIn(stored), model_id: model }
      await send({ method: 'POST', path: '/api/v2/message/generate', body })
    }
    if (deletes) await send({ method: 'DELETE', path: `/api/v3/chat/${chat}` })
  },
}

function nameModel(pick: Pick): string {
  return pick(200) === 0 ? 'gpt-4o' : model
}

function idIn(text: string): string {
  return /"id": ?"([0-9a-f-]{36})"/.exec(text)?.[1] ?? ''
}

/** Contents of a completion, or of the chunks of a stream. */
function contentIn(text: string): string {
  const found = text.matchAll(/"content": ?("(?:[^"\\]|\\.)*")/g)
  return [...found].map(([, content]) => JSON.parse(content ?? '""')).join('')
}

function oneOf<T>(list: readonly T[], pick: Pick): T {
  const item = list[pick(list.length)]
  if (item === undefined) throw new Error('the list is empty')
  return item
}
