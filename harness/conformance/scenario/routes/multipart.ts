import type { FormStyle } from '../../session/requests/imitation.ts'
/** One file to upload. */
export interface UploadFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/**
 * A body of `multipart/form-data` (RFC 7578) with plain fields and one file. Names are sent as UTF-8,
 * quotes in them as `%22`.
 */
export function multipart(
  fields: Readonly<Record<string, string>>,
  part: string,
  file: UploadFile,
  { boundary, typesParts }: FormStyle,
): { readonly body: Uint8Array; readonly contentType: string } {
  const open = (disposition: string, type = typesParts ? 'text/plain; charset=utf-8' : '') => {
    const lines = [`Content-Disposition: form-data; ${disposition}`]
    if (type !== '') lines.push(`Content-Type: ${type}`)
    return `--${boundary}\r\n${(typesParts ? lines.toReversed() : lines).join('\r\n')}\r\n\r\n`
  }
  const pieces = [
    ...Object.entries(fields).map(([name, value]) => `${open(`name="${name}"`)}${value}\r\n`),
    open(`name="${part}"; filename="${file.name.replaceAll('"', '%22')}"`, file.type),
    file.bytes,
    `\r\n--${boundary}--\r\n`,
  ]
  const buffers = pieces.map((piece) => Buffer.from(piece))
  return {
    body: new Uint8Array(Buffer.concat(buffers)),
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}
