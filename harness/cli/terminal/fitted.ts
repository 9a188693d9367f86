import { wrap } from '../../../reports/text/escape.ts'
import type { Io } from './io.ts'

/** Broken at spaces for a terminal; a pipe, whose reader may look for whole lines, gets it as it is. */
export function fitted(text: string, { terminal, width }: Io): string {
  if (!terminal) return text
  return text
    .split('\n')
    .flatMap((line) => (line.length <= width ? [line] : wrap(line, width)))
    .join('\n')
}
