import type { z } from 'zod'
import type { targetProfile } from '../conformance/profile/schema.ts'

/** A target profile, as in the file of `chatgen check --target`; all members but `baseUrl` are optional. */
export interface Target extends z.input<typeof targetProfile> {}

/** Returns the target as it is; an editor checks and completes its members. */
export function defineTarget(target: Target): Target {
  return target
}
