import type { KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { challengeProblem, roundProblems, statementProblems } from './claims.ts'
import { type BundleContent, readBundle } from './content.ts'
import { evidenceProblems } from './evidence.ts'

export interface VerifyOptions {
  /** Folder of the bundle. */
  readonly dir: string
  /** Key that the bundle must be signed with; without it, the key in the bundle. */
  readonly publicKey?: KeyObject
  /** Challenge that the bundle must answer. */
  readonly challenge?: string
  readonly signal?: AbortSignal
  readonly onStep?: (step: string) => void
}

/** One thing that was verified. */
export interface VerifiedStep {
  readonly title: string
  /** Why it does not hold; empty if it does. */
  readonly problems: readonly string[]
  /** Differences that do not refuse the certificate, for example another version of chatgen. */
  readonly notes: readonly string[]
}

export interface Verification {
  readonly verified: boolean
  /** In the order in which they were verified, up to the first that does not hold. */
  readonly steps: readonly VerifiedStep[]
  /** Absent where the bundle could not be read. */
  readonly content?: BundleContent
}

/**
 * Verifies a bundle: signature, digests, completeness, freshness, and that this version sends the recorded
 * requests and comes to the recorded verdicts. Nothing is sent.
 */
export async function verifyBundle(options: VerifyOptions): Promise<Verification> {
  const { dir, challenge, onStep = () => {} } = options
  const steps: VerifiedStep[] = []
  const holds = (title: string, problems: readonly string[], notes: readonly string[] = []) => {
    steps.push({ title, problems, notes })
    return problems.length === 0
  }

  onStep('signature and files')
  const bundle = readBundle(dir, options.publicKey)
  const trust =
    options.publicKey === undefined && bundle.keyId !== undefined
      ? [`the key ${bundle.keyId} was taken from the bundle; compare it, or pass --public-key`]
      : []
  if (!holds('signature', bundle.signature, trust)) return { verified: false, steps }
  if (!holds('files and digests', bundle.files) || bundle.content === undefined) {
    return { verified: false, steps }
  }
  const { content } = bundle
  const failed = { verified: false, steps, content }
  if (!holds('challenge', challengeProblem(content, challenge))) return failed
  if (!holds('rounds and settings', roundProblems(content))) return failed

  const folder = mkdtempSync(join(tmpdir(), 'chatgen-verify-'))
  try {
    const { requests, verdicts, times, notes, reports } = await evidenceProblems(content, {
      folder,
      onStep,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    if (!holds('times and order', times)) return failed
    if (!holds('requests', requests)) return failed
    if (!holds('verdicts', verdicts, notes)) return failed
    if (!holds('statement', statementProblems(content, reports))) return failed
    return { verified: true, steps, content }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
