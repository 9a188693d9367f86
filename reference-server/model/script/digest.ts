import { createHash } from 'node:crypto'
import type { ModelRequest } from '../types.ts'

/** Digest of all that an answer may depend on, the same in every run of a server. */
export function requestDigest({ knowledge, ...request }: ModelRequest): string {
  const found = knowledge?.found.map(({ fileId, text }) => ({ fileId, text })) ?? []
  const content = JSON.stringify({ ...request, maxTokens: String(request.maxTokens), found })
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}
