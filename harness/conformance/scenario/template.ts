/** Requests that the document does not show, as the profile writes them: `{name}` is filled in. */

export type Values = Readonly<Record<string, string>>

/** Fills `{name}` in every text of a value; a name without a value stays as it is. */
export function fill<T>(template: T, values: Values): T
export function fill(template: unknown, values: Values): unknown {
  if (typeof template === 'string') {
    return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
  }
  if (Array.isArray(template)) return template.map((entry) => fill(entry, values))
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(
      Object.entries(template).map(([key, entry]) => [key, fill(entry, values)]),
    )
  }
  return template
}
