import { printable } from './escape.ts'

export type Level = 'error' | 'warning' | 'notice'

/** An annotation as GitHub Actions reads it from the output of a step. */
export function annotation(level: Level, title: string, message: string): string {
  const lines = message.split('\n').map(printable)
  return `::${level} title=${property(printable(title))}::${data(lines.join('\n'))}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
