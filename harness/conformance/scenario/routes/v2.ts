import {
  answerJson,
  asObject,
  bodyJson,
  chatIdNames,
  type Exchange,
  findId,
  isUuid,
  type JsonObject,
  type OperationId,
  valueAt,
} from '../../../../contract/index.ts'
import { fill } from '../../profile/schema-requests.ts'
import { route, type SendOptions } from '../../session/requests/wire-request.ts'
import type { Session } from '../../session/session.ts'
import { assume, assumeAccepted, requireProfile } from '../claims.ts'

/** Sends a body to an operation. */
export function postTo(session: Session, operation: OperationId) {
  return (json: unknown, options: SendOptions = {}): Promise<Exchange> =>
    session.send({ ...route(operation), json, ...options })
}

/** The v2 surface (section 4.2) as a scenario calls it. The profile defines how a v2 chat is created. */
export function v2Routes(session: Session) {
  const { models, v2Chat } = session.context.setup.profile
  let usedIds = 0

  const routes = {
    /** The id of a v2 chat; a new one if the profile can create it. */
    async chat(name = session.name(), options: SendOptions = {}): Promise<string> {
      requireProfile(v2Chat, 'v2Chat')
      if ('anyUuid' in v2Chat) {
        const id = session.uuid()
        const made = { kind: 'v2 chat', name: id, id, scenario: session.slug } as const
        session.context.journal({ event: 'created', ...made })
        return id
      }
      if ('ids' in v2Chat) {
        const id = v2Chat.ids[usedIds % v2Chat.ids.length]
        usedIds += 1
        assume(id, 'the target profile has no v2 chat')
        return id
      }
      const { method, path, query, body, id: pointer } = v2Chat.create
      const send = () =>
        session.send({
          surface: 'v2',
          method,
          path: fill(path, { name }),
          ...(query ? { query: fill(query, { name }) } : {}),
          ...(body === undefined ? {} : { json: fill(body, { name }) }),
          role: 'arrange',
          ...options,
        })
      const idIn = (created: Exchange) => {
        const answer = answerJson(created)
        const id = pointer ? valueAt(answer, pointer) : findId(answer, chatIdNames)
        return isUuid(id) ? id : undefined
      }
      const created = await session.create('v2 chat', name, send, idIn)
      const id = idIn(created)
      assume(id, 'no chat id in the answer to v2Chat.create: set v2Chat.create.id', created)
      return id
    },

    /** A message that must be accepted. */
    messageBody: (chat: string, content: string, more: JsonObject = {}): JsonObject => ({
      chat_id: chat,
      content,
      model_id: models.main,
      ...more,
    }),

    message: postTo(session, 'v2.message'),
    generate: postTo(session, 'v2.generate'),

    storedId(exchange: Exchange): string {
      const id = asObject(bodyJson(assumeAccepted(exchange, 'a v2 message')))?.['id']
      assume(typeof id === 'string', 'a stored v2 message has no id', exchange)
      return id
    },

    /** Stores a message that the scenario needs; returns its id. */
    async storeOk(chat: string, content: string, more: JsonObject = {}): Promise<{ id: string }> {
      const body = routes.messageBody(chat, content, more)
      return { id: routes.storedId(await routes.message(body, { role: 'arrange' })) }
    },

    /** A generation that must be accepted. */
    generateBody: (chat: string, parent: string, more: JsonObject = {}): JsonObject => ({
      chat_id: chat,
      parent_id: parent,
      model_id: models.main,
      ...more,
    }),

    /** Stores a message and generates the response, as one transaction. */
    async storeAndGenerate(
      chat: string,
      content: string,
      more: JsonObject = {},
      generation: JsonObject = {},
    ) {
      const { id } = await routes.storeOk(chat, content, more)
      const body = routes.generateBody(chat, id, generation)
      const reply = await routes.generate(body, { role: 'arrange' })
      return { messageId: id, reply: assumeAccepted(reply, 'a v2 generation') }
    },

    /** Any request of this surface that a working server accepts; it stores one more message. */
    ping: (chat: string): Promise<Exchange> =>
      routes.message(routes.messageBody(chat, session.prompts.followUp()), { role: 'liveness' }),
  }
  return routes
}
