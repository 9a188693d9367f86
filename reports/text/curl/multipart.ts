/** A part of a `multipart/form-data` body; `filename` is null for a plain field. */
export interface FormPart {
  readonly name: string
  readonly filename: string | null
  readonly contentType: string | null
  readonly content: Uint8Array
}

/**
 * The parts of a form body (RFC 7578), or null where the body does not keep the form that its
 * content type promises: then it can only be repeated byte by byte.
 */
export function formParts(contentType: string, body: Uint8Array): readonly FormPart[] | null {
  if (!/^multipart\/form-data\b/i.test(contentType)) return null
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType)
  const delimiter = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`
  if (delimiter === '--') return null

  // Latin-1 maps bytes to characters one to one, so text searches find byte offsets.
  const [preamble, ...sections] = Buffer.from(body).toString('latin1').split(delimiter)
  const end = sections.pop()
  if (preamble?.trim() !== '' || end === undefined || end.trim() !== '--') return null
  const parts = sections.map(formPart)
  return parts.length > 0 && parts.every((part) => part !== null) ? parts : null
}

function formPart(section: string): FormPart | null {
  const match = /^\r\n([\s\S]*?)\r\n\r\n([\s\S]*)\r\n$/.exec(section)
  if (match === null) return null
  const [, head = '', content = ''] = match
  const disposition = headerOf(head, 'content-disposition')
  const name = parameterOf(disposition, 'name')
  if (name === null) return null
  return {
    name,
    filename: parameterOf(disposition, 'filename'),
    contentType: headerOf(head, 'content-type') || null,
    content: new Uint8Array(Buffer.from(content, 'latin1')),
  }
}

function headerOf(head: string, name: string): string {
  const lines = Buffer.from(head, 'latin1').toString('utf8').split('\r\n')
  const line = lines.find((text) => text.toLowerCase().startsWith(`${name}:`)) ?? ''
  return line.slice(name.length + 1).trim()
}

function parameterOf(value: string, name: string): string | null {
  return new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(value)?.[1] ?? null
}
