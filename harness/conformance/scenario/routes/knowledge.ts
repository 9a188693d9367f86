import type { Exchange } from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import type { SendOptions } from '../../session/requests/wire-request.ts'
import type { Session } from '../../session/session.ts'
import { requireProfile } from '../claims.ts'
import { fill, type Values } from '../template.ts'
import { multipart, type UploadFile } from './attachments.ts'
import { type ListWalk, readList } from './paging.ts'

export type KnowledgeRoute = keyof NonNullable<NonNullable<TargetProfile['knowledge']>['routes']>

export const knowledgePrefixes = ['/api/v3/knowledge', '/api/knowledge'] as const
export type KnowledgePrefix = (typeof knowledgePrefixes)[number]

interface KnowledgeOptions extends SendOptions {
  readonly prefix?: KnowledgePrefix
  readonly values?: Values
  readonly file?: UploadFile
  /** Parameters in addition to those of the profile. */
  readonly query?: Readonly<Record<string, string | number>>
}

/** Knowledge bases (section 4.3): the profile defines the routes below the prefix. */
export function knowledgeRoutes(session: Session) {
  const { knowledge } = session.context.setup.profile

  const routes = {
    /** Sends a route of the profile; without one, requests the prefix itself. */
    send(name: KnowledgeRoute | null, options: KnowledgeOptions = {}): Promise<Exchange> {
      const { prefix = knowledgePrefixes[0], values = {}, file, query, ...rest } = options
      if (name === null) {
        return session.send({ surface: 'v3', method: 'GET', path: prefix, ...rest })
      }
      const route = knowledge?.routes?.[name]
      requireProfile(route, `knowledge.routes.${name}`)
      const all: Values = {
        ...(knowledge ? { baseId: knowledge.baseId, question: knowledge.question } : {}),
        ...values,
      }
      const upload = file && multipart({}, route.part ?? 'file', file, session.formStyle())
      const send = () =>
        session.send({
          surface: 'v3',
          method: route.method,
          path: `${prefix}${fill(route.path, all)}`,
          ...(route.query || query ? { query: { ...fill(route.query ?? {}, all), ...query } } : {}),
          ...(upload ? { raw: upload } : {}),
          ...(!upload && route.body !== undefined ? { json: fill(route.body, all) } : {}),
          ...rest,
        })
      return file ? session.create('document', file.name, send, () => undefined) : send()
    },

    readBases: (): Promise<ListWalk> =>
      readList(session, (query) => routes.send('list', { query }), {}, { pointer: undefined }),
  }
  return routes
}
