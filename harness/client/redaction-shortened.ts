import { shortestPart } from './redaction-cuts.ts'

/**
 * Replaces what a message that was shortened shows of a secret: its beginning before an ellipsis,
 * or its end behind one.
 */
export function redactShortened(
  text: string,
  forms: readonly { readonly form: string; readonly mark: string }[],
): string {
  if (!/…|\.\.\./.test(text)) return text
  const parts = text.split(/(…|\.\.\.)/)
  return parts
    .map((part, at) => {
      if (at % 2 === 1) return part
      const end = at < parts.length - 1 ? beginningAtEnd(part, forms) : part
      return at > 0 ? endAtBeginning(end, forms) : end
    })
    .join('')
}

type Forms = Parameters<typeof redactShortened>[1]

function beginningAtEnd(text: string, forms: Forms): string {
  for (const { form, mark } of forms) {
    for (let length = Math.min(form.length, text.length); length >= shortestPart; length -= 1) {
      if (text.endsWith(form.slice(0, length))) return text.slice(0, -length) + mark
    }
  }
  return text
}

function endAtBeginning(text: string, forms: Forms): string {
  for (const { form, mark } of forms) {
    for (let length = Math.min(form.length, text.length); length >= shortestPart; length -= 1) {
      if (text.startsWith(form.slice(-length))) return mark + text.slice(length)
    }
  }
  return text
}
