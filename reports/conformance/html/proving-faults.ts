import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { ProvingFault } from './rows.ts'

const killMatrix = z.object({
  faults: z.array(
    z.object({
      name: z.string(),
      summary: z.string(),
      breaks: z.array(z.string()),
      survived: z.array(z.string()),
    }),
  ),
})

/** The faults of `docs/kill-matrix.json`; null if it is missing or cannot be read. */
export function provingFaults(): readonly ProvingFault[] | null {
  try {
    return killMatrix.parse(JSON.parse(killMatrixText())).faults
  } catch {
    return null
  }
}

/** Text of `docs/kill-matrix.json`. @throws the error of the file system if it is missing */
export function killMatrixText(): string {
  const up = import.meta.url.endsWith('.js') ? '../../../..' : '../../..'
  return readFileSync(new URL(`${up}/docs/kill-matrix.json`, import.meta.url), 'utf8')
}
