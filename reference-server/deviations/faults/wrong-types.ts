/** Faults of requests that are accepted although a field has the wrong type: one for each field. */
import type { RequirementId } from '../../../contract/index.ts'
import type { Patch } from '../../services.ts'
import { setAt, toObject } from '../patches/json.ts'
import { onRequestBody } from '../patches/requests.ts'
import type { RoutePattern } from '../patches/routes.ts'
import type { Fault } from '../types.ts'

/** Fields by the name in their fault: which values fit, and what takes the place of all others. */
type Fields = Readonly<Record<string, readonly [path: string, fits: Fits, mend?: unknown]>>

type Fits = (value: unknown) => boolean

/** `prefix` begins the names of the faults, `request` their summaries. */
export function wrongTypeFaults(
  route: RoutePattern,
  requirement: RequirementId,
  prefix: string,
  request: string,
  fields: Fields,
): readonly Fault[] {
  return Object.entries(fields).map(([name, [path, fits, mend]]) => ({
    name: `${prefix}-${name}-of-any-type`,
    summary: `${request} with ${path.replaceAll('.*', '[]')} of the wrong type is accepted.`,
    breaks: [requirement],
    patch: mendField(route, path, fits, mend),
  }))
}

function mendField(route: RoutePattern, path: string, fits: Fits, mend: unknown): Patch {
  const mended = (value: unknown) => (typeof mend === 'function' ? mend(value) : mend)
  return onRequestBody(route, (body) =>
    setAt(body, path, (value: unknown) => (value == null || fits(value) ? value : mended(value))),
  )
}

/** Takes a member of an object for the object. */
export function member(name: string): (value: unknown) => unknown {
  return (value) => toObject(value)[name]
}
