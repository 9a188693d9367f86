/** Requests that must be refused: a mistake in a body that is accepted without it, under several conditions. */
import { type JsonObject, parseJson, type RequirementId } from '../../contract/index.ts'
import {
  coveringRows,
  type Exchange,
  expectRejected,
  isDeclined,
  type RejectedRequest,
  type Scenario,
  type TargetProfile,
} from '../../harness/conformance/scenario/index.ts'
import type { Edit } from '../laws/conditions/plan.ts'

export interface Mistake {
  /** The requirement that forbids success. */
  readonly requirement: RequirementId
  readonly what: string
  readonly edit: Edit
  /** Further forms of the mistake, which are sent in turn. */
  readonly more?: readonly Pick<Mistake, 'what' | 'edit'>[]
  /** Null if the request has no Idempotency-Key. */
  readonly key?: null
}

/** A field of another type than the document lists: values, in turn, or a function of the right value. */
export function ofAnotherType(
  requirement: RequirementId,
  ...fields: readonly (readonly [name: string, wrong: unknown, ...more: readonly unknown[]])[]
): readonly Mistake[] {
  return fields.map(([name, wrong, ...more]) => ({
    requirement,
    ...withValue(name, wrong),
    more: more.map((one) => withValue(name, one)),
  }))
}

function withValue(name: string, value: unknown): Pick<Mistake, 'what' | 'edit'> {
  const valueFor = (right: unknown) => (value === inObject ? inObject(right) : value)
  return {
    what: `${name}: ${JSON.stringify(valueFor('…'))}`,
    edit: (body) => ({ ...body, [name]: valueFor(body[name]) }),
  }
}

/** The right value in a place where a careless server finds it. */
export function inObject(value: unknown) {
  return { id: value }
}

/** A required field that is missing, or null. */
export function missing(
  requirement: RequirementId,
  ...fields: readonly string[]
): readonly Mistake[] {
  return fields.map((name) => ({
    requirement,
    what: `no ${name}`,
    edit: (body) => ({ ...body, [name]: undefined }),
    more: [withValue(name, null)],
  }))
}

/** Both tool lists, with different names and with the same ones. */
export function bothToolLists(requirement: RequirementId): readonly Mistake[] {
  return [['get_time'], ['get_weather', 'get_date']].map((include_tools) => ({
    requirement,
    what: `include_tools and exclude_tools${include_tools.length > 1 ? ', which are equal' : ''}`,
    edit: (body) => ({
      ...body,
      include_tools,
      exclude_tools: ['get_weather', 'get_date'],
    }),
  }))
}

export function noIdempotencyKey(requirement: RequirementId): Mistake {
  return { requirement, what: 'no Idempotency-Key', edit: (body) => body, key: null }
}

/** Fields and caller of a request, by a description for messages. */
export interface Condition {
  readonly members?: JsonObject
  readonly authorization?: string
}

/** Fields by dimension and value; undefined if the profile lacks what one needs. */
export type Dimensions = Readonly<Record<string, Readonly<Record<string, JsonObject | undefined>>>>

interface Refusing {
  readonly mistakes: readonly Mistake[]
  /** Conditions in which each mistake is tested, with a request that is accepted in them. */
  readonly forms: Readonly<Record<string, Condition & { readonly control: Exchange }>>
  /** Further conditions, several at once: a mistake is tested in two rows of them at normal, in all at full. */
  readonly conditions: Dimensions
  /** Another caller as a further condition; undefined if the profile has none. */
  readonly caller?: Condition | undefined
  readonly send: (
    edit: Edit,
    options: {
      readonly role: 'negative' | 'control'
      readonly authorization?: string
      readonly key?: null
    },
  ) => Promise<Exchange>
  readonly ping: () => Promise<Exchange>
  readonly status?: number
  readonly noServerError?: RequirementId
}

/** Number of rows of conditions in which a mistake is tested; at normal, those of one mistake have few values in common. */
const rowsAt = { quick: 0, normal: 2, full: 12 } as const

/** Number of mistakes after which a request shows that the server is alive. */
const perPing = 8

/** Maximum number of requests of `expectAllRefused`, including those that show that the server is alive. */
export function refusalCost(mistakes: number, forms: number) {
  return (_rows: number, depth: Scenario['depth']) => {
    const requests = mistakes * (forms + rowsAt[depth])
    return requests + Math.ceil(requests / perPing)
  }
}

/** Sends each mistake in each form, and in its rows of conditions. */
export async function expectAllRefused(
  context: Scenario,
  { mistakes, forms, conditions, caller, send, ping, ...expected }: Refusing,
): Promise<readonly (readonly [RejectedRequest, Exchange])[]> {
  const { claim, depth } = context
  const counts = new Map<Mistake, number>()
  const request = (mistake: Mistake, name: string, condition: Condition, control: Exchange) => {
    const { requirement, what: first, edit: firstEdit, more = [], ...keyless } = mistake
    const { members, ...caller } = condition
    const inTurn = [{ what: first, edit: firstEdit }, ...more]
    const earlier = counts.get(mistake) ?? 0
    counts.set(mistake, earlier + 1)
    const { what, edit } = inTurn[earlier % inTurn.length] ?? mistake
    const options = { role: 'negative', ...keyless, ...caller } as const
    return {
      ...{ requirement, control, ...expected },
      what: name === '' ? what : `${what} (${name})`,
      send: () => send((body) => edit({ ...body, ...members }), options),
    }
  }
  /** Rows that are refused without a mistake, and requirements broken in one that is accepted. */
  const [refusedRows, broken] = [new Set<string>(), new Set<RequirementId>()]
  const isTaken = async (
    { requirement }: Mistake,
    name: string,
    { members, ...own }: Condition,
  ): Promise<boolean> => {
    if (broken.has(requirement)) return true
    if (refusedRows.has(name)) return false
    const twin = await send((body) => ({ ...body, ...members }), { role: 'control', ...own })
    if (isDeclined(twin)) refusedRows.add(name)
    else broken.add(requirement)
    return !isDeclined(twin)
  }
  const inForms = Object.entries(forms).flatMap(([name, { control, ...condition }]) =>
    mistakes.map((mistake): RejectedRequest => request(mistake, name, condition, control)),
  )
  const [plainForm] = Object.values(forms)
  const count = depth === 'full' ? rowsAt.full : rowsAt[depth] * mistakes.length
  const rows = plainForm ? rowsOf(conditions, caller, context, count) : []
  const inRows = mistakes.flatMap((mistake, at) => {
    // Two rows in sequence, from a list that is repeated.
    const from = (2 * at) % Math.max(1, rows.length - 1)
    const chosen = depth === 'full' ? rows : rows.slice(from, from + 2)
    return chosen.flatMap(([name, condition]) => {
      if (plainForm === undefined) return []
      const isKeyGuessed = condition.authorization !== undefined
      const isTakenWithout = () => isTaken(mistake, name, condition)
      const sent = request(mistake, name, condition, plainForm.control)
      return [{ ...sent, isKeyGuessed, isTakenWithout }]
    })
  })
  const all = [...inForms, ...inRows]
  const refused: (readonly [RejectedRequest, Exchange])[] = []
  for (let at = 0; at < all.length; at += perPing)
    refused.push(...(await expectRejected(claim, ping, ...all.slice(at, at + perPing))))
  return refused
}

/** Conditions of several dimensions at once, with a description for messages. */
export function rowsOf(
  conditions: Dimensions,
  caller: Condition | undefined,
  { depth, session }: Scenario,
  count: number,
): readonly (readonly [string, Condition])[] {
  const dimensions: Dimensions = {
    ...conditions,
    ...(caller && { caller: { second: caller.members ?? {} } }),
  }
  const values = Object.entries(dimensions).map(([name, of]) => {
    const names = Object.keys(of).filter((value) => of[value] !== undefined)
    // Few rows show more if each has many conditions.
    return [name, depth !== 'full' && names.length > 1 ? names : ['plain', ...names]]
  })
  const [, ...rows] = coveringRows(Object.fromEntries(values), {
    depth,
    seed: session.contentSeed,
    count: count + 1,
  })
  return rows.flatMap((row) => {
    const chosen = Object.entries(row).flatMap(([name, value]) => {
      const members = dimensions[name]?.[value]
      return members === undefined ? [] : [{ name: `${name} ${value}`, members }]
    })
    if (chosen.length === 0) return []
    const members = Object.assign({}, ...chosen.map((one) => one.members))
    const own = row['caller'] === 'second' ? caller : {}
    return [[chosen.map(({ name }) => name).join(', '), { ...own, members }]]
  })
}

/** A field with each of some values, by value. */
export function each<const V extends readonly (string | number | boolean)[]>(
  name: string,
  ...values: V
) {
  const fields = values.map((value) => [`${value}`, { [name]: value }])
  return Object.fromEntries(fields) as Readonly<Record<`${V[number]}`, JsonObject>>
}

export function otherModels(
  { models: { aliases, vision }, capabilities }: TargetProfile,
  member: 'model' | 'model_id',
) {
  const [alias] = aliases
  return {
    alias: alias === undefined ? undefined : { [member]: alias },
    vision: capabilities.images === true ? { [member]: vision } : undefined,
  }
}

/** Dimensions of the plan, the headers and the text of a request rather than of a field of its body. */
const besideBody = new Set([
  ...['after', 'occurrence', 'overlap', 'caller', 'parent', 'later message', 'text'],
])

/**
 * Fields for a value of a dimension that no edit carries out: a number or a boolean is the value of the field of
 * that name.
 * @throws Error for a dimension whose values need an edit
 */
export function usualChange(name: string, value: string): JsonObject {
  const field = parseJson(value)
  if (field !== undefined) return { [name]: field }
  if (!besideBody.has(name)) throw new Error(`no edit for ${name} ${value}`)
  return {}
}
