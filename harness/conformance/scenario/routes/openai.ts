import type { Exchange, JsonObject } from '../../../../contract/index.ts'
import { answerText } from '../../../judges/index.ts'
import { route, type SendOptions } from '../../session/requests/wire-request.ts'
import type { Session } from '../../session/session.ts'
import { assumeAccepted } from '../claims.ts'
import { postTo } from './v2.ts'

/** The compatible surface (section 4.1) as a scenario calls it. */
export function openaiRoutes(session: Session) {
  const { models } = session.context.setup.profile

  const routes = {
    /** A body that must be accepted: the main model, one user message and the given fields. */
    chatBody: (text: string, more: JsonObject = {}): JsonObject => ({
      model: models.main,
      messages: [{ role: 'user', content: text }],
      ...more,
    }),

    chat: postTo(session, 'openai.chat'),

    /** Sends bytes in place of JSON. */
    raw: (text: string, options: SendOptions = {}): Promise<Exchange> =>
      session.send({
        ...route('openai.chat'),
        raw: { body: new TextEncoder().encode(text), contentType: 'application/json' },
        ...options,
      }),

    models: (options: SendOptions = {}): Promise<Exchange> =>
      session.send({ ...route('openai.models'), ...options }),

    model: (id: string, options: SendOptions = {}): Promise<Exchange> => {
      const { path, ...rest } = route('openai.model')
      const named = path.replace('{model}', encodeURIComponent(id))
      return session.send({ ...rest, path: named, ...options })
    },

    /** Any request of this surface that a working server answers. */
    ping: (): Promise<Exchange> => routes.models({ role: 'liveness' }),

    /** Sends a body whose acceptance the scenario needs; returns the exchange and its text. */
    async chatOk(
      body: JsonObject,
      options: SendOptions = {},
    ): Promise<{ exchange: Exchange; text: string }> {
      const exchange = await routes.chat(body, { role: 'arrange', ...options })
      assumeAccepted(exchange, 'a completion')
      return { exchange, text: answerText(exchange) ?? '' }
    },
  }
  return routes
}
