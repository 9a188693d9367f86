import { generateKeyPairSync } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type DetectingServer,
  faults,
  unlessRecognized,
} from '../../../reference-server/deviations/index.ts'
import { type Certification, certify } from '../../certification/certify.ts'
import type { Product } from '../../certification/inputs.ts'
import { verifyBundle } from '../../certification/verify/verify.ts'
import type { ProfileName } from '../../conformance/profile/selection.ts'
import { temporaryFolder } from '../../conformance/recording/result-files.ts'
import type { Engine } from '../../conformance/vitest/engine.ts'
import { type ProofTarget, startDeviant } from '../runs/run-target.ts'

export interface CertifiedTarget {
  readonly open: () => Promise<ProofTarget>
  readonly surfaces: ProfileName
  /** Time between the first and the last round, in milliseconds. */
  readonly overMs?: number
  readonly engine?: Engine
  /** Interrupts the certification. */
  readonly signal?: AbortSignal
}

/** A certification of one target and the verification of its bundle, in a folder that is removed afterwards. */
export async function certifyTarget(target: CertifiedTarget, challenge: string) {
  const folder = temporaryFolder('certified')
  const outDir = join(folder, 'bundle')
  try {
    const certification = await certifyInto(target, { challenge, outDir })
    const isRefused = certification.result.refusals.length > 0
    const own = { dir: outDir, challenge, ...(target.engine && { engine: target.engine }) }
    const { steps } = isRefused ? { steps: [] } : await verifyBundle(own)
    /** Reasons why the bundle does not verify; empty if it does or if there is no bundle. */
    const unverified = steps.flatMap(({ problems }) => problems)
    return { ...certification, unverified }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const anyProduct = { vendor: 'Proof', name: 'Server', version: '1', contact: 'proof@example.org' }

/** A certification of one target with a new key. */
export async function certifyInto(
  { open, surfaces, overMs = 0, engine, signal }: CertifiedTarget,
  place: { readonly challenge: string; readonly outDir: string; readonly product?: Product },
): Promise<Certification> {
  const target = await open()
  try {
    return await certify({
      ...{ profile: target.profile, surfaces, product: anyProduct, ...place },
      key: generateKeyPairSync('ed25519').privateKey,
      ...{ jobs: 8, overMs, write: writeFileSync },
      ...(engine && { engine }),
      ...(signal && { signal }),
    })
  } finally {
    await target.close()
  }
}

/** The reference server with a fault of its compatible surface, shown to callers that are not recognized. */
export function openDetecting(server: DetectingServer): Promise<ProofTarget> {
  const fault = faults.find(({ name }) => name === 'openai.chat: id is lost')
  if (fault === undefined) throw new Error('the fault has another name')
  return startDeviant(unlessRecognized(server, fault.patch))
}
