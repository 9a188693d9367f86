import { type Exchange, succeeded } from '../../../../contract/index.ts'
import { route, type SendOptions } from '../../session/requests/wire-request.ts'
import type { Session } from '../../session/session.ts'
import { assume } from '../claims.ts'
import { statusText } from '../read.ts'

type Body = Readonly<Record<string, unknown>>

/** `POST /message/one-shot` (section 4.3). */
export function oneShotRoutes(session: Session) {
  const { models, requests } = session.context.setup.profile

  const routes = {
    /** A body that must be accepted. */
    body: (input: unknown, more: Body = {}): Body => ({
      model_id: models.main,
      input,
      stream: false,
      ...requests.oneShot,
      ...more,
    }),

    send: (body: unknown, options: SendOptions = {}): Promise<Exchange> =>
      session.send({ ...route('v3.oneShot'), json: body, ...options }),

    /** Sends what must be accepted for the scenario to go on. */
    async sendOk(body: Body, options: SendOptions = {}): Promise<Exchange> {
      const exchange = await routes.send(body, { role: 'arrange', ...options })
      assume(succeeded(exchange), `a one-shot was refused with ${statusText(exchange)}`, exchange)
      return exchange
    },
  }
  return routes
}
