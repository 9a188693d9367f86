import { wrap } from '../../../reports/text/escape.ts'
import type { Io } from './io.ts'

/** Wraps text at spaces for a terminal; text for a pipe is unchanged, because readers match whole lines. */
export function fitted(text: string, { terminal, width }: Pick<Io, 'terminal' | 'width'>): string {
  if (!terminal) return text
  return text
    .split('\n')
    .flatMap((line) => (line.length <= width ? [line] : wrap(line, width)))
    .join('\n')
}
