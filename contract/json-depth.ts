const quote = 34
const backslash = 92
const opening = new Set([91, 123])
const closing = new Set([93, 125])

/**
 * Tests if JSON text is nested deeper than `maxDepth` levels. Code that reads it may be recursive,
 * and formatting takes the square of its depth.
 */
export function isDeeperThan(text: string, maxDepth: number): boolean {
  // Each level takes a bracket.
  if (text.length <= maxDepth) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at += 1
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if (opening.has(code)) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (closing.has(code)) depth -= 1
  }
  return false
}
