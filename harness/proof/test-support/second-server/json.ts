export type Json = Readonly<Record<string, unknown>>

export function asJson(value: unknown): Json {
  return isJson(value) ? value : {}
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

/** A JSON text, or undefined. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
