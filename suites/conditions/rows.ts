/** Requests that meet conditions: covering arrays over the dimensions of an operation. */
import type { RequirementId } from '../../contract/index.ts'
import {
  type Depth,
  type Exchange,
  expectAccepted,
  isDeclined,
  pairwise,
  type ScenarioContext,
} from '../../harness/conformance/scenario/index.ts'

export type Body = Readonly<Record<string, unknown>>

/** One value of a dimension: an edit of a body that the document allows. */
export interface Value<Requirement extends string> {
  readonly edit: (body: Body) => Body
  /** Requirement that a refusal of this value breaks. */
  readonly requirement: Requirement
}

/** The values of each dimension by name; a body without edits has none of them. */
export type Dimensions<Requirement extends string> = Readonly<
  Record<string, Readonly<Record<string, Value<Requirement>>>>
>

/** One value of some of the dimensions, by name. */
export type Row = Readonly<Record<string, string>>

const none = 'none'

/** Rows in which each pair of values occurs, at depth `full`; the seed makes their choice. None at other depths. */
function rowsFor<R extends string>(
  dimensions: Dimensions<R>,
  depth: Depth,
  seed: string,
): readonly Row[] {
  if (depth !== 'full') return []
  const values = Object.entries(dimensions).map(([name, of]) => [name, [none, ...Object.keys(of)]])
  return pairwise(Object.fromEntries(values), seed)
}

/** The body with the edits of a row. */
function bodyOf<R extends string>(plain: Body, row: Row, dimensions: Dimensions<R>): Body {
  return Object.entries(row).reduce(
    (body, [name, value]) => dimensions[name]?.[value]?.edit(body) ?? body,
    plain,
  )
}

/** `form stream, model alias` for messages. */
export function describeRow(row: Row): string {
  const values = Object.entries(row).filter(([, value]) => value !== none)
  return values.map(([name, value]) => `${name} ${value}`).join(', ') || 'plain request'
}

interface Refusal<R extends string> {
  readonly requirement: R
  readonly what: string
  /** The refused request, and the accepted one without the value that was refused. */
  readonly evidence: readonly [Exchange, Exchange]
}

/**
 * Sends a request for each row. A refused one breaks the requirement of the value without which it is
 * accepted; without such a value it shows nothing. `onAccepted` asks what else holds.
 */
export async function sendRows<R extends RequirementId>(
  { claim, depth, session }: Pick<ScenarioContext, 'claim' | 'depth' | 'session'>,
  dimensions: Dimensions<R>,
  send: (edit: (plain: Body) => Body) => Promise<Exchange>,
  onAccepted: (answer: Exchange, row: Row) => Promise<void> | void = () => {},
): Promise<void> {
  const sendRow = (row: Row) => send((plain) => bodyOf(plain, row, dimensions))
  for (const row of rowsFor(dimensions, depth, session.contentSeed)) {
    const answer = await sendRow(row)
    if (!isDeclined(answer)) {
      await onAccepted(answer, row)
      continue
    }
    const refusal = await findRefusedValue(row, dimensions, sendRow)
    if (refusal === undefined) continue
    const { requirement, what, evidence } = refusal
    claim(requirement, () => expectAccepted(evidence[0], what), ...evidence)
  }
}

/**
 * The value of a refused row without which the request is accepted; undefined if there is none, or if the
 * refusal does not happen again.
 */
async function findRefusedValue<R extends string>(
  row: Row,
  dimensions: Dimensions<R>,
  send: (row: Row) => Promise<Exchange>,
): Promise<Refusal<R> | undefined> {
  const again = await send(row)
  if (!isDeclined(again)) return undefined
  for (const [name, value] of Object.entries(row)) {
    const cause = dimensions[name]?.[value]
    if (cause === undefined) continue
    const without = await send({ ...row, [name]: none })
    if (isDeclined(without)) continue
    return {
      requirement: cause.requirement,
      what: `a request with ${describeRow(row)} (accepted without ${name} ${value})`,
      evidence: [again, without],
    }
  }
  return undefined
}
