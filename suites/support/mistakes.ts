/** Requests that must be refused: a mistake in a body that is accepted without it, under several conditions. */
import type { RequirementId } from '../../contract/index.ts'
import type {
  Exchange,
  ScenarioContext,
  TargetProfile,
} from '../../harness/conformance/scenario/index.ts'

type Body = Readonly<Record<string, unknown>>
type Edit = (body: Body) => Body

export interface Mistake {
  /** The requirement that says that it must not succeed. */
  readonly requirement: RequirementId
  readonly what: string
  readonly edit: Edit
}

/** A field of another type than the document lists: a value, or one that is made of the right one. */
export function ofAnotherType(
  requirement: RequirementId,
  ...fields: readonly (readonly [name: string, wrong: unknown])[]
): readonly Mistake[] {
  return fields.map(([name, wrong]) => ({
    requirement,
    what: `${name}: ${JSON.stringify(wrong === inObject ? inObject('…') : wrong)}`,
    edit: (body) => ({ ...body, [name]: wrong === inObject ? inObject(body[name]) : wrong }),
  }))
}

/** The right value, where a careless server finds it. */
export function inObject(value: unknown) {
  return { id: value }
}

/** A required field that is missing. */
export function missing(
  requirement: RequirementId,
  ...fields: readonly string[]
): readonly Mistake[] {
  return fields.map((name) => ({
    requirement,
    what: `no ${name}`,
    edit: (body) => ({ ...body, [name]: undefined }),
  }))
}

export function bothToolLists(requirement: RequirementId): Mistake {
  const lists = { exclude_tools: ['get_weather'], include_tools: ['get_time'] }
  return {
    requirement,
    what: 'include_tools and exclude_tools',
    edit: (body) => ({ ...body, ...lists }),
  }
}

/** Members and caller of a request, by words for a message. */
export interface Condition {
  readonly members?: Body
  readonly authorization?: string
}

interface Refusing {
  readonly mistakes: readonly Mistake[]
  /** Conditions in which each mistake is made, with a request that is accepted there. */
  readonly forms: Readonly<Record<string, Condition & { readonly control: Exchange }>>
  /** Further conditions, in which some are made: at depth normal each in one of them, at full in all. */
  readonly conditions: Readonly<Record<string, Condition | undefined>>
  readonly send: (
    edit: Edit,
    options: { readonly role: 'negative'; readonly authorization?: string },
  ) => Promise<Exchange>
  readonly ping: () => Promise<Exchange>
  readonly status?: number
  readonly noServerError?: RequirementId
}

/** Most requests that `expectAllRefused` sends, those that show a living server among them. */
export function refusalCost(mistakes: number, forms: number, conditions: number) {
  return (_rows: number, depth: ScenarioContext['depth']) =>
    2 * mistakes * (forms + { quick: 0, normal: 1, full: conditions }[depth])
}

export async function expectAllRefused(
  { expectRejected, depth }: Pick<ScenarioContext, 'expectRejected' | 'depth'>,
  { mistakes, forms, conditions, send, ...expected }: Refusing,
): Promise<readonly (readonly [Mistake, Exchange])[]> {
  const refused: (readonly [Mistake, Exchange])[] = []
  const request = ({ requirement, what, edit }: Mistake, name: string, condition: Condition) => {
    const { members, ...caller } = condition
    return {
      requirement,
      what: name === '' ? what : `${what} (${name})`,
      send: () => send((body) => edit({ ...body, ...members }), { role: 'negative', ...caller }),
    } as const
  }
  for (const [name, { control, ...condition }] of Object.entries(forms)) {
    for (const mistake of mistakes) {
      const rejected = { ...request(mistake, name, condition), control, ...expected }
      refused.push([mistake, await expectRejected(rejected)])
    }
  }
  const [plain] = Object.values(forms)
  const others = Object.entries(conditions).filter(([, condition]) => condition !== undefined)
  if (plain === undefined || depth === 'quick') return refused
  for (const [at, mistake] of mistakes.entries()) {
    const chosen = depth === 'full' ? others : others.slice(at % others.length).slice(0, 1)
    for (const [name, condition = {}] of chosen) {
      // The condition itself may be refused, with a status of its own.
      const { status: _, ...anyRefusal } = expected
      const { control } = plain
      await expectRejected({ ...request(mistake, name, condition), control, ...anyRefusal })
    }
  }
  return refused
}

/** An alias of the main model, if the profile names one. */
export function alias({ models: { aliases } }: TargetProfile, member: 'model' | 'model_id') {
  return { alias: aliases[0] === undefined ? undefined : { members: { [member]: aliases[0] } } }
}

export function secondCaller({ otherKey }: TargetProfile) {
  return {
    'second caller': otherKey === undefined ? undefined : { authorization: `Bearer ${otherKey}` },
  }
}
