/** Fields of the requests and answers of an operation, derived from the schemas of the contract. */
import { z } from 'zod'
import {
  completion,
  finalResponse,
  historyItem,
  historyPage,
  modelList,
  v2Generation,
  v2Message,
} from '../../../contract/wire.ts'
import {
  createChatRequest,
  generateReplyRequest,
  generateRequest,
  historyQuery,
  listAttachmentsQuery,
  listChatsQuery,
  oneShotRequest,
  searchBaseQuery,
  searchBaseRequest,
  searchedListQuery,
  storeMessageRequest,
  updateChatRequest,
  uploadFields,
} from '../../requests/native.ts'
import { chatCompletionRequest } from '../../requests/openai.ts'
import type { FaultyOperation } from '../patches/requests.ts'

/** The part of JSON Schema that the grammar reads. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

const historyRow = z.looseObject({
  item: historyItem,
  item_type: z.string().nullable(),
  item_status: z.string().nullable(),
})

const requests: { readonly [Id in FaultyOperation]?: z.ZodType } = {
  'openai.chat': chatCompletionRequest,
  'v2.message': storeMessageRequest,
  'v2.generate': generateReplyRequest,
  'v3.generate': generateRequest,
  'v3.oneShot': oneShotRequest,
  'v3.createChat': createChatRequest,
  'v3.updateChat': updateChatRequest,
  'v3.upload': uploadFields,
  'knowledge.search': searchBaseRequest,
}

const queries: { readonly [Id in FaultyOperation]?: z.ZodType } = {
  'v3.history': historyQuery,
  'v3.chats': listChatsQuery,
  'v3.attachments': listAttachmentsQuery,
  // The document shows neither its pages nor a query of the favorites.
  'v3.chatAttachments': searchedListQuery.pick({ search: true }),
  'knowledge.search': searchBaseQuery,
}

const answers: { readonly [Id in FaultyOperation]?: z.ZodType } = {
  'openai.chat': completion,
  'openai.models': modelList,
  'v2.message': v2Message,
  'v2.generate': v2Generation,
  'v3.generate': finalResponse,
  'v3.oneShot': finalResponse,
  'v3.history': historyPage.extend({ result: z.array(historyRow) }),
}

/**
 * Fields that the document does not list for an operation or leaves open: a server may refuse or ignore them,
 * and accept any type.
 */
const open: { readonly [Id in FaultyOperation]?: RegExp } = {
  'openai.chat': /^(max_completion|stream_options|tools|tool_choice|parallel|response_format|n$)/,
  'v2.generate': /^include_tools/,
  'v3.oneShot':
    /^(think|include_tools|exclude_tools|max_tokens|temperature|top_p|presence_penalty|assistant$|kb_id)/,
  'v3.updateChat': /./,
  'v3.upload': /./,
  'knowledge.search': /./,
}

export function isOpen(operation: FaultyOperation, member: string): boolean {
  return open[operation]?.test(member) === true
}

/** Fields of the JSON body of a request. */
export function bodyMembers(operation: FaultyOperation): Readonly<Record<string, Schema>> {
  return membersOf(requests[operation])
}

export function queryMembers(operation: FaultyOperation): Readonly<Record<string, Schema>> {
  return membersOf(queries[operation])
}

/** Paths of all documented fields of a JSON answer, such as `choices.*.index`. */
export function answerMembers(operation: FaultyOperation): readonly [string, Schema][] {
  // The answer to an upload is an attachment, like those of a v2 message.
  if (operation === 'v3.upload') {
    const list = bodyMembers('v2.message')['attachments'] ?? {}
    return paths(alternatives(list).find(({ items }) => items !== undefined)?.items ?? {}, '')
  }
  const schema = answers[operation]
  return schema === undefined ? [] : paths(toJson(schema), '')
}

/** The types that a value may have, except null. */
export function alternatives(schema: Schema): readonly Schema[] {
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined && schema.type === undefined) return parts.flatMap(alternatives)
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return types.filter((type) => type !== 'null').map((type): Schema => ({ ...schema, type }))
}

/** All constants in a schema, at any depth. */
export function constantsOf(schema: Schema): readonly string[] {
  const own = [schema.const, ...(schema.enum ?? [])]
  const inner = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...Object.values(schema.properties ?? {}),
  ]
  const found = own.filter((value) => typeof value === 'string')
  return [...new Set([...found, ...inner.flatMap(constantsOf)])]
}

/** Names of the required fields. */
export function requiredMembers(operation: FaultyOperation): readonly string[] {
  const schemas = [requests[operation], queries[operation]].filter((one) => one !== undefined)
  return schemas.flatMap((schema) => toJson(schema).required ?? [])
}

function membersOf(schema: z.ZodType | undefined): Readonly<Record<string, Schema>> {
  return schema === undefined ? {} : (toJson(schema).properties ?? {})
}

function paths(schema: Schema, prefix: string): readonly [string, Schema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]): [string, Schema][] => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const [list] = alternatives(member).filter(({ items }) => items !== undefined)
    const inner = list?.items === undefined ? paths(member, path) : paths(list.items, `${path}.*`)
    return [[path, member], ...inner]
  })
}

function toJson(schema: z.ZodType): Schema {
  const cached = written.get(schema)
  if (cached !== undefined) return cached
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema
  written.set(schema, made)
  return made
}

const written = new WeakMap<z.ZodType, Schema>()
