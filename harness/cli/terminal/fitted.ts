import { wrap } from '../../../reports/text/escape.ts'

/** Wraps text at spaces for a terminal; text for a pipe is unchanged, because readers match whole lines. */
export function fitted(
  text: string,
  { terminal, width }: { readonly terminal: boolean; readonly width: number },
): string {
  if (!terminal) return text
  return text
    .split('\n')
    .flatMap((line) => (line.length <= width ? [line] : wrap(line, width)))
    .join('\n')
}
