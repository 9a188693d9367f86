import { type Header, header } from '../../../contract/index.ts'

/**
 * Bytes of the body that an answer announces, with its Content-Encoding; undefined where it
 * announces none or its length says nothing of the bytes that follow (RFC 9110, section 8.6).
 */
export function announcedBytes(
  method: string,
  status: number,
  headers: readonly Header[],
): number | undefined {
  if (method === 'HEAD' || status === 204 || status === 304) return undefined
  // It overrides Content-Length (RFC 9112, section 6.3).
  if (header(headers, 'transfer-encoding') !== undefined) return undefined
  const value = header(headers, 'content-length')?.trim() ?? ''
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined
}
