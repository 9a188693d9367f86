/** Bodies: strict UTF-8, JSON, and no deeper than anything here needs. */
import { ApiError } from './errors.ts'

const maxNesting = 64
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws ApiError 400 for what is not JSON or nested too deep; an empty body is undefined */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const text = decode(bytes)
  if (nesting(text) > maxNesting) throw malformed(`nested deeper than ${maxNesting} levels`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : 'not JSON')
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('not UTF-8')
  }
}

/** Counted before parsing: whatever walks the value later may then recurse. */
function nesting(text: string): number {
  let depth = 0
  let maxDepth = 0
  let quoted = false
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit === quote) quoted = !quoted
    else if (quoted) index += unit === backslash ? 1 : 0
    else if (unit === openBracket || unit === openBrace) maxDepth = Math.max(maxDepth, ++depth)
    else if (unit === closeBracket || unit === closeBrace) depth -= 1
  }
  return maxDepth
}

const [quote, backslash, openBracket, openBrace, closeBracket, closeBrace] = [...'"\\[{]}'].map(
  (character) => character.charCodeAt(0),
)

function malformed(why: string): ApiError {
  return new ApiError(400, `The body is not valid JSON: ${why}`, { code: 'invalid_json' })
}
