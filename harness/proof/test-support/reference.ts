import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import {
  dialects,
  faults,
  generatedFaultNamed,
} from '../../../reference-server/deviations/index.ts'
import {
  type Patch,
  type ReferenceServerOptions,
  startReferenceServer,
} from '../../../reference-server/index.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import { type CheckOptions, check, referenceProfile } from '../../conformance/test-support/check.ts'

/** Keys of two callers. */
export const keys = ['sk-first-caller-0123456789', 'sk-second-caller-0123456789'] as const

/** The patch of a fault or of a dialect. @throws Error if there is none with that name */
export function patchNamed(name: string): Patch {
  const found =
    [...faults, ...dialects].find((one) => one.name === name) ?? generatedFaultNamed(name)
  if (found === undefined) throw new Error(`there is no deviation ${name}`)
  return found.patch
}

export async function checkReference(
  server: ReferenceServerOptions,
  options: CheckOptions,
  profileOf: (own: TargetProfile) => TargetProfile = (own) => own,
): Promise<ConformanceReport> {
  const { url, close } = await startReferenceServer({ keys, ...server })
  try {
    return await check(profileOf(referenceProfile(url, keys)), options)
  } finally {
    await close()
  }
}
