import {
  bodyJson,
  type Exchange,
  header,
  type OperationId,
  operationAt,
  type RequirementId,
  requestPath,
  succeeded,
} from '../../../../contract/index.ts'
import { blocksOf, isStreamOf, type Json, type Streamed, withBlocks } from './blocks.ts'
import { type MutationKind, withStatus, withText } from './mutation.ts'

/** A mutation that shows only where several exchanges of a recording are held side by side. */
export interface AcrossMutation {
  readonly kind: MutationKind
  readonly what: string
  /** The row that the scenarios must turn red over the mutated recording. */
  readonly row: RequirementId
  /** The exchange itself where it is not meant. */
  readonly change: (exchange: Exchange, all: readonly Exchange[]) => Exchange
}

export const acrossMutations: readonly AcrossMutation[] = [
  rows('drop', 'what was answered', 'V3-HIST-07', (all) => all.filter((row) => !isAnswer(row))),
  rows('drop', 'what was asked', 'V3-HIST-07', (all) => all.filter(isAnswer)),
  rows('drop', 'the first row of each later page', 'V3-HIST-10', (all, query) =>
    query.has('cursor') ? all.slice(1) : all,
  ),
  rows('repeat', 'the first row of each later page', 'V3-HIST-10', (all, query) =>
    query.has('cursor') ? [...all.slice(0, 1), ...all] : all,
  ),
  rows('drop', 'the last row of a page of the default length', 'V3-HIST-08', (all, query) =>
    query.has('limit') ? all : all.slice(0, 49),
  ),
  rows('reorder', 'the rows of pages of an odd length', 'V3-HIST-15', (all, query) =>
    Number(query.get('limit')) % 2 === 1 ? all.toReversed() : all,
  ),
  rows('repeat', 'a turn', 'V3-IDEM-02', (all) => [...all, ...all]),
  rows('repeat', 'a turn', 'V3-IDEM-03', (all) => [...all, ...all]),
  rows('repeat', 'a turn', 'V3-IDEM-04', (all) => [...all, ...all]),
  rows('repeat', 'a turn', 'V3-IDEM-05', (all) => [...all, ...all]),
  member('v3.history', 'truncate', 'a walk behind its first page', 'V3-HIST-12', (body) => ({
    ...body,
    pagination: { cursor: null },
  })),

  list('v3.chats', 'add', 'chats beyond the limit', 'V3-CHAT-07', (rows, query, all) =>
    query.has('limit') ? all : rows,
  ),
  list('v3.chats', 'drop', 'what a search finds', 'V3-CHAT-06', (rows, query) =>
    query.has('search') ? [] : rows,
  ),
  list('v3.favorites', 'drop', 'all favorites', 'V3-FAV-01', () => []),
  list(
    'v3.favorites',
    'add',
    'favorites that were removed',
    'V3-FAV-02',
    (_rows, _query, all) => all,
  ),
  list('v3.attachments', 'drop', 'all files', 'V3-ATT-06', () => []),
  list('v3.attachments', 'add', 'files beyond the limit', 'V3-ATT-09', (rows, query, all) =>
    query.has('limit') ? all : rows,
  ),
  list('v3.attachments', 'drop', 'what a search finds', 'V3-ATT-08', (rows, query) =>
    query.has('search') ? [] : rows,
  ),
  list('v3.chatAttachments', 'drop', 'the files of a chat', 'V3-ATT-12', () => []),
  member('v3.chat', 'retype', 'the name of a chat', 'V3-CHAT-02', (body) => ({
    ...body,
    name: 'Another',
  })),
  member('v3.chat', 'retype', 'the id of a chat', 'V3-CHAT-04', (body) => ({
    ...body,
    id: crypto.randomUUID(),
  })),
  member('v3.upload', 'retype', 'the size of a file', 'V3-ATT-04', (body) => ({
    ...body,
    size: Number(body['size']) + 1,
  })),
  member(
    'v3.upload',
    'drop',
    'the bucket of a file',
    'V3-ATT-02',
    ({ bucket: _, ...body }) => body,
  ),
  member('v3.upload', 'corrupt', 'the name of a file', 'V3-ATT-03', (body) => ({
    ...body,
    filename: String(body['filename']).slice(1),
  })),
  member('openai.chat', 'retype', 'all ids as one', 'OAI-CHAT-14', (body) => ({
    ...body,
    id: 'c',
  })),
  member('v3.generate', 'retype', 'all ids as one', 'V3-GEN-15', (body) => ({ ...body, id: 'r' })),
  member('v3.generate', 'retype', 'created_at in one form', 'V3-GEN-03', (body) => ({
    ...body,
    created_at: 'today',
  })),
  member('v3.generate', 'drop', 'usage in one form', 'V3-GEN-04', ({ usage: _, ...body }) => body),
  member('openai.models', 'drop', 'the main model', 'OAI-MODELS-01', (body) => ({
    ...body,
    data: body['data'].slice(0, 1),
  })),

  status('the refusal of no key', 401, 403, 'OAI-AUTH-01'),
  status('the refusal of a wrong key', 401, 500, 'V3-AUTH-06'),
  status('the refusal of broken JSON', 400, 422, 'OAI-ERR-01'),
  status('the refusal of a temperature', 400, 422, 'OAI-TEMP-02'),
  accepted('without a key', 401, 'V2-AUTH-01'),
  accepted('without a key', 401, 'V3-AUTH-01'),
  accepted('with a field of another type', 400, 'OAI-ERR-02'),
  accepted('with a field of another type', 400, 'V3-GEN-17'),
  accepted('without its key', 400, 'V3-IDEM-01'),
  accepted('with both tool lists', 400, 'V3-TOOLS-01'),
  accepted('without its chat', 400, 'V2-MSG-08'),
  accepted('of a chat that was deleted', 404, 'V3-CHAT-11'),
  accepted('of a chat of the other version', 409, 'VER-04'),
  hint('/api/v2', 'VER-03'),
  hint('/api/v2', 'VER-05'),
  hint('/api/v3', 'VER-07'),

  stream('openai', 'drop', 'a fragment', 'OAI-STREAM-10', (exchange) =>
    withBlocks(exchange, blocksOf(exchange).toSpliced(3, 1)),
  ),
]

function rows(
  kind: MutationKind,
  what: string,
  row: RequirementId,
  change: (rows: readonly Json[], query: URLSearchParams) => readonly Json[],
): AcrossMutation {
  return member('v3.history', kind, what, row, (body, { request }) => ({
    ...body,
    result: change(body['result'], new URL(request.url).searchParams),
  }))
}

/** The rows of a list; a page with others is the last. `all` is what its scenario ever saw listed. */
function list(
  operation: OperationId,
  kind: MutationKind,
  what: string,
  row: RequirementId,
  change: (rows: readonly Json[], query: URLSearchParams, all: readonly Json[]) => readonly Json[],
): AcrossMutation {
  return member(operation, kind, what, row, (body, exchange, recorded) => {
    const ofScenario = recorded.filter(
      (other) => other.labels.scenario === exchange.labels.scenario && isAnswerOf(operation, other),
    )
    const everything = ofScenario.flatMap((other) => (bodyJson(other) as Json)['result'])
    const query = new URL(exchange.request.url).searchParams
    const result = change(body['result'], query, everything)
    return result === body['result'] ? body : { ...body, result, pagination: { cursor: null } }
  })
}

function member(
  operation: OperationId,
  kind: MutationKind,
  what: string,
  row: RequirementId,
  change: (body: Json, exchange: Exchange, all: readonly Exchange[]) => Json,
): AcrossMutation {
  return {
    kind,
    what: `${what} (${operation})`,
    row,
    change: (exchange, all) => {
      const type = header(exchange.response?.headers ?? [], 'content-type') ?? ''
      if (!isAnswerOf(operation, exchange) || !type.includes('json')) return exchange
      return withText(exchange, JSON.stringify(change(bodyJson(exchange) as Json, exchange, all)))
    },
  }
}

/** Answers a refused request like an accepted one of its kind, if possible of the same scenario. */
function accepted(what: string, refusedWith: number, row: RequirementId): AcrossMutation {
  return {
    kind: 'retype',
    what: `the refusal of a request ${what}`,
    row,
    change: (exchange, all) => {
      if (exchange.response?.status !== refusedWith) return exchange
      const { method } = exchange.request
      const operation = operationAt(method, requestPath(exchange))
      if (operation === undefined) return exchange
      const good = all.filter((other) => isAnswerOf(operation, other))
      const near = good.find(({ labels }) => labels.scenario === exchange.labels.scenario)
      return { ...exchange, response: (near ?? good[0] ?? exchange).response }
    },
  }
}

function status(what: string, from: number, to: number, row: RequirementId): AcrossMutation {
  return {
    kind: 'retype',
    what: `${what}, ${from} as ${to}`,
    row,
    change: (exchange) =>
      exchange.response?.status === from ? withStatus(exchange, to) : exchange,
  }
}

/** Refusals no longer name the prefix. */
function hint(prefix: string, row: RequirementId): AcrossMutation {
  return {
    kind: 'corrupt',
    what: `the hint to ${prefix}`,
    row,
    change: (exchange) => {
      if (succeeded(exchange) || exchange.response === null) return exchange
      const text = JSON.stringify(bodyJson(exchange) ?? null)
      return text.includes(prefix)
        ? withText(exchange, text.replaceAll(prefix, '/api/other'))
        : exchange
    },
  }
}

function stream(
  surface: Streamed,
  kind: MutationKind,
  what: string,
  row: RequirementId,
  change: (exchange: Exchange) => Exchange,
): AcrossMutation {
  return {
    kind,
    what: `${what} (${surface})`,
    row,
    change: (exchange) => (isStreamOf(surface, exchange) ? change(exchange) : exchange),
  }
}

function isAnswerOf(operation: OperationId, exchange: Exchange): boolean {
  const { method } = exchange.request
  return succeeded(exchange) && operationAt(method, requestPath(exchange)) === operation
}

function isAnswer(row: Json): boolean {
  return row['item']?.role === 'assistant'
}
