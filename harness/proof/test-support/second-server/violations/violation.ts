import type { Call } from '../http.ts'
import { Refusal } from '../http.ts'
import type { Json } from '../json.ts'
import type { Rules, Turn } from '../rules.ts'

/** A behavior that the document forbids. */
export interface Violation {
  readonly name: string
  readonly section: string
  /** Requirements, any of which may report it; all of them are about what is broken. */
  readonly breaks: readonly string[]
  readonly changes: Partial<Rules>
  /** Reason why no requirement can report it. */
  readonly unseen?: string
}

export const isGenerate = ({ route }: Call) => route.endsWith('/api/v3/message/generate')
export const isOneShot = ({ route }: Call) => route.endsWith('/one-shot')
export const isCompletion = ({ route }: Call) => route.endsWith('/chat/completions')
export const isStream = (body: Json) => body['stream'] === true

/** The turns that a deviation is about. */
export type Where = (turn: Turn) => boolean

export const streamed =
  (surface: Turn['surface']): Where =>
  (turn) =>
    turn.stream && turn.surface === surface

/** Turns that are run with other settings than were asked for. */
export function runs(where: Where, settings: (turn: Turn) => Partial<Turn>): Partial<Rules> {
  return { turn: (turn) => (where(turn) ? { ...turn, ...settings(turn) } : turn) }
}

/** Bodies that are refused although nothing is wrong with them. */
export function refuses(where: (call: Call, body: Json) => boolean): Partial<Rules> {
  return {
    refuses: (call, body) =>
      where(call, body) ? new Refusal(isCompletion(call) ? 400 : 422, 'not here') : undefined,
  }
}

/** Checks that are left out. */
export function skips(
  check: Parameters<Rules['checks']>[0],
  where: (call: Call, body: Json) => boolean,
): Partial<Rules> {
  return { checks: (made, call, body) => made !== check || !where(call, body) }
}

/** Members of a body that are not read. */
export function ignores(name: string, where: (call: Call, body: Json) => boolean): Partial<Rules> {
  return {
    reads: (call, body) => {
      if (!where(call, body)) return body
      const { [name]: _, ...rest } = body
      return rest
    },
  }
}
