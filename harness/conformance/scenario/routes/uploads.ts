import {
  answerJson,
  type Exchange,
  isObject,
  type JsonObject,
  leavesOf,
  nodesOf,
  valueAt,
} from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { fill, type Values } from '../../profile/schema-requests.ts'
import type { FormStyle } from '../../session/requests/imitation.ts'
import { route, type SendOptions } from '../../session/requests/wire-request.ts'
import type { Session } from '../../session/session.ts'
import { requireProfile } from '../claims.ts'
import { poll } from '../poll.ts'
import { contains } from '../read.ts'
import { type ListWalk, type Query, readList } from './paging.ts'

/** Attachments of the caller (section 4.3, prefix /attachment). */
export function attachmentRoutes(session: Session) {
  const { requests, shapes } = session.context.setup.profile
  const part = requests.upload?.part ?? 'file'
  const chatField = requests.upload?.chatField ?? 'chat_id'

  /** Ids by file name; without those that no response contained. */
  const ids = new Map<string, string>()

  const routes = {
    upload(file: UploadFile, chat?: string, options: SendOptions = {}): Promise<Exchange> {
      const fields: Readonly<Record<string, string>> =
        chat === undefined ? {} : { [chatField]: chat }
      const raw = multipart(fields, part, file, session.formStyle())
      const send = () => session.send({ ...route('v3.upload'), raw, ...options })
      return session.create('attachment', file.name, send, (answer) => {
        const id = routes.recordIn(answer, file.name)?.['id']
        if (typeof id !== 'string') return undefined
        ids.set(file.name, id)
        return id
      })
    },

    list(query: Query = {}, options: SendOptions = {}): Promise<Exchange> {
      return session.send({ ...route('v3.attachments'), query, ...options })
    },

    async walk(
      query: Query,
      options: SendOptions = { role: 'probe' },
      rows?: number,
    ): Promise<ListWalk> {
      const walk = await readList(session, (page) => routes.list(page, options), query, {
        pointer: shapes.attachmentCursor,
        rows,
      })
      const pagesWith = (name: string) =>
        walk.body.flatMap((_, at) => (lists(walk.body, at, name) ? [at] : []))
      return { ...walk, pagesWith }
    },

    /** Tests if a list shows an uploaded file, by its name or, if it shows none, by its id. */
    lists(answer: Exchange | ListWalk, name: string): boolean {
      const bodies = 'pages' in answer ? answer.body : [answerJson(answer)]
      return bodies.some((_, at) => lists(bodies, at, name))
    },

    /** A walk that shows the name, and all of the ids or none; waits as long as uploads may take to be listed. */
    waitForListed: (query: Query, name: string, ids: readonly string[]): Promise<ListWalk> =>
      poll(
        session,
        () => routes.walk(query),
        ({ body, pagesWith }) => {
          const listed = ids.filter((id) => contains(body, id)).length
          return pagesWith(name).length > 0 && (listed === 0 || listed === ids.length)
        },
      ),

    /** The attachment object (section 2.4) in the response to an upload, at any depth. */
    recordIn(uploaded: Exchange, fileName: string): Readonly<Record<string, unknown>> | undefined {
      const body = answerJson(uploaded)
      const found = shapes.attachment
        ? valueAt(body, shapes.attachment)
        : attachmentIn(body, fileName)
      return isObject(found) ? found : undefined
    },
  }
  return routes

  /** An id may also be that of another caller, so names take precedence if there are any. */
  function lists(bodies: readonly unknown[], at: number, name: string): boolean {
    const hasNames = [...ids.keys()].some((name) => bodies.some((body) => contains(body, name)))
    if (hasNames || contains(bodies[at], name)) return contains(bodies[at], name)
    const id = ids.get(name)
    return id !== undefined && leavesOf(bodies[at]).some(({ value }) => value === id)
  }
}

/** The fields of section 2.4. */
const members = ['id', 'filename', 'content_type', 'bucket', 'size', 'created_at']

/** The object with a field `filename`, with the name of the file, or with most of the fields of section 2.4. */
export function attachmentIn(body: unknown, fileName: string): unknown {
  const objects = nodesOf(body).flatMap(({ value }) => (isObject(value) ? [value] : []))
  const records = objects.sort((a, b) => memberCount(b) - memberCount(a))
  return (
    records.find((record) => 'filename' in record) ??
    records.find((record) => Object.values(record).includes(fileName)) ??
    records.find((record) => memberCount(record) > 3)
  )
}

function memberCount(record: JsonObject): number {
  return members.filter((member) => member in record).length
}

export interface UploadFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** A body of `multipart/form-data` (RFC 7578) with one file; names as UTF-8, quotes in them as `%22`. */
export function multipart(
  fields: Readonly<Record<string, string>>,
  part: string,
  file: UploadFile,
  { boundary, typesParts }: FormStyle,
): { readonly body: Uint8Array; readonly contentType: string } {
  const open = (disposition: string, type = typesParts ? 'text/plain; charset=utf-8' : '') => {
    const lines = [`Content-Disposition: form-data; ${disposition}`]
    if (type !== '') lines.push(`Content-Type: ${type}`)
    return `--${boundary}\r\n${(typesParts ? lines.toReversed() : lines).join('\r\n')}\r\n\r\n`
  }
  const pieces = [
    ...Object.entries(fields).map(([name, value]) => `${open(`name="${name}"`)}${value}\r\n`),
    open(`name="${part}"; filename="${file.name.replaceAll('"', '%22')}"`, file.type),
    file.bytes,
    `\r\n--${boundary}--\r\n`,
  ]
  const buffers = pieces.map((piece) => Buffer.from(piece))
  return {
    body: new Uint8Array(Buffer.concat(buffers)),
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}

type KnowledgeRoute = keyof NonNullable<NonNullable<TargetProfile['knowledge']>['routes']>

export const knowledgePrefixes = ['/api/v3/knowledge', '/api/knowledge'] as const
export type KnowledgePrefix = (typeof knowledgePrefixes)[number]

interface KnowledgeOptions extends SendOptions {
  readonly prefix?: KnowledgePrefix
  readonly values?: Values
  readonly file?: UploadFile
  /** Parameters in addition to those of the profile. */
  readonly query?: Query
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
