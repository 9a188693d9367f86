const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Text of a file for a model or an index; undefined if it is not UTF-8, or contains a zero byte. */
export function documentText(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
