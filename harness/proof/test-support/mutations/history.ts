import { bodyJson, type Exchange, type RequirementId } from '../../../../contract/index.ts'
import type { Json } from './blocks.ts'
import { inBody, isInOnePiece } from './bodies.ts'
import { type Mutation, type MutationKind, mutantsOf, withText } from './mutation.ts'

const inputRoles = ['user', 'system', 'developer']

/** Rows and cursors of history pages (sections 2.6 and 4.3), as far as one page shows them. */
export const historyMutations: readonly Mutation[] = [
  inRows('drop', 'the role of an input', 'V3-HIST-05', ['drop'], isInput, 'role'),
  inRows('retype', 'the role of an input', 'V3-HIST-05', ['human', 7, null], isInput, 'role'),
  inRows('drop', 'the content of an input', 'V3-HIST-05', ['drop'], isInput, 'content'),
  inRows('retype', 'the content of an input', 'V3-HIST-05', ['Hi', null, {}], isInput, 'content'),
  inRows('corrupt', 'the parts of an input', 'V3-HIST-05', [['Hi'], [{}]], isInput, 'content'),
  inBody('retype', 'v3.history', 'result.*.item_type', ['item'], 'V3-HIST-03'),
  inBody('retype', 'v3.history', 'result.*.item_status', ['in_progress'], 'V3-HIST-04'),
  cursor('drop', 'the cursor', [undefined], 'V3-HIST-11'),
  cursor('truncate', 'the cursor', ['', false], 'V3-HIST-11'),
  cursor('retype', 'the cursor', [7, {}, [], true], 'V3-HIST-12'),
  inRowsOf('repeat', 'a row of a full page', 'V3-HIST-09', isFull, (rows, at) =>
    rows.toSpliced(at, 0, rows[at] ?? {}),
  ),
  // What is missing, moved or doubled shows beside other pages alone.
  inRowsOf(
    'drop',
    'a row',
    null,
    () => true,
    (rows, at) => rows.toSpliced(at, 1),
  ),
  inRowsOf('reorder', 'two rows', null, hasSeveral, (rows, at) =>
    rows.toSpliced(at, 2, ...rows.slice(at, at + 2).reverse()),
  ),
]

/** A member of the item of each row that is meant is another. */
function inRows(
  kind: MutationKind,
  what: string,
  row: RequirementId,
  values: readonly unknown[],
  isMeant: (row: Json) => boolean,
  member: string,
): Mutation {
  return page(kind, what, row, (body) =>
    body['result'].flatMap((entry: Json, at: number) =>
      isMeant(entry)
        ? values.map((value) => () => {
            const item = { ...entry['item'], [member]: value === 'drop' ? undefined : value }
            return { ...body, result: body['result'].with(at, { ...entry, item }) }
          })
        : [],
    ),
  )
}

function inRowsOf(
  kind: MutationKind,
  what: string,
  row: RequirementId | null,
  where: (body: Json, exchange: Exchange) => boolean,
  change: (rows: readonly Json[], at: number) => readonly Json[],
): Mutation {
  return page(kind, what, row, (body, exchange) =>
    where(body, exchange)
      ? body['result'].map((_: unknown, at: number) => () => ({
          ...body,
          result: change(body['result'], at),
        }))
      : [],
  )
}

function cursor(
  kind: MutationKind,
  what: string,
  values: readonly unknown[],
  row: RequirementId,
): Mutation {
  return page(kind, what, row, (body) =>
    values.map((value) => () => ({
      ...body,
      pagination: { ...body['pagination'], cursor: value },
    })),
  )
}

function page(
  kind: MutationKind,
  what: string,
  row: RequirementId | null,
  bodies: (body: Json, exchange: Exchange) => readonly (() => Json)[],
): Mutation {
  return {
    kind,
    what: `${what} of a page`,
    row,
    of: (exchange) => {
      if (!isInOnePiece('v3.history', exchange)) return undefined
      const makers = bodies(bodyJson(exchange) as Json, exchange)
      return mutantsOf(makers.map((make) => () => withText(exchange, JSON.stringify(make()))))
    },
  }
}

function isInput(row: Json): boolean {
  return inputRoles.includes(row['item']?.role)
}

function hasSeveral(body: Json): boolean {
  return body['result'].length > 1
}

function isFull(body: Json, { request }: Exchange): boolean {
  const limit = new URL(request.url).searchParams.get('limit')
  return limit !== null && body['result'].length === Number(limit)
}
