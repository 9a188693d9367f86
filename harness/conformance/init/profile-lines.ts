import { stringify } from 'yaml'
import {
  areaOf,
  type RequirementId,
  requirementIds,
  requirements,
} from '../../../contract/index.ts'

/** Lines of a profile; what came from a target never leaves its comment or its scalar. */

const width = 98

/** Comment lines, broken at spaces; a target's line breaks and controls become spaces. */
export function comment(text: string, indent = 0): string[] {
  const words = text
    .replaceAll(/[\s\p{C}\u2028\u2029]+/gu, ' ')
    .trim()
    .split(' ')
  const lines: string[] = []
  let line = '#'
  for (const word of words) {
    if (indent + line.length + 1 + word.length > width && line !== '#') {
      lines.push(line)
      line = '#'
    }
    line += ` ${word}`
  }
  return [...lines, line]
}

/** A field on one line, for example `models: { main: a, aliases: [ b ] }`. */
export function member(name: string, value: unknown): string {
  return `${name}: ${stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`
}

/** The requirements that wait for a field of the profile, or for something within it. */
export function memberDecides(name: string): string {
  const waits = (id: RequirementId) => `${requirements[id].member ?? ''}.`.startsWith(`${name}.`)
  return neededFor(requirementIds.filter(waits))
}

const maxListed = 6

export function neededFor(ids: readonly RequirementId[]): string {
  if (ids.length === 0) return 'No requirement depends on it alone.'
  if (ids.length <= maxListed) return `Needed to test ${ids.join(', ')}.`
  const areas = [...new Set(ids.map(areaOf))]
  return `Needed to test ${ids.length} requirements of ${areas.join(', ')}.`
}
