import { contents } from './contents.ts'
import { credentials } from './credentials.ts'
import { effects } from './effects.ts'
import { forms } from './forms.ts'
import { repeats } from './repeats.ts'
import type { Violation } from './violation.ts'

/** All ways in which the second server can break the document, one at a time. */
export const violations: readonly Violation[] = [
  ...forms,
  ...repeats,
  ...contents,
  ...effects,
  ...credentials,
]

export type { Violation }
