import { type RunRecord, readRunRecord } from '../conformance/recording/record.ts'
import { certifiedDepth, certifiedSelection } from './rules.ts'

/** The profile of a round as its record holds it, as the text that is digested. */
export function profileText(recordFile: string): string {
  return JSON.stringify(readRunRecord(recordFile).profile)
}

/** Reason why a record is not one of a certification round; null if it is. */
export function recordProblem(record: RunRecord, seed: string): string | null {
  const { selection, strict, explore } = record
  if (record.seed !== seed) {
    return `its seed is ${record.seed}; ${seed} follows from the challenge`
  }
  const { profile } = selection
  if (JSON.stringify(selection) !== JSON.stringify(certifiedSelection(profile))) {
    return 'requirements were selected or skipped'
  }
  if (record.depth !== certifiedDepth) return `it was run at depth ${record.depth}`
  if (!record.incognito) return 'its requests named chatgen'
  if (explore !== undefined) return 'it was run with --explore'
  return strict ? 'it was run with --strict' : null
}
