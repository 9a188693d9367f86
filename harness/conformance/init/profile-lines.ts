import { stringify } from 'yaml'
import {
  areaOf,
  type Capability,
  type RequirementId,
  requirementIds,
  requirements,
} from '../../../contract/index.ts'

/** Lines of a profile; what came from a target never leaves its comment or its scalar. */

const width = 98

/** Comment lines, broken at spaces; a target's line breaks and controls become spaces. */
export function comment(text: string, indent = ''): string[] {
  const words = text
    .replaceAll(/[\s\p{C}\u2028\u2029]+/gu, ' ')
    .trim()
    .split(' ')
  const lines: string[] = []
  let line = `${indent}#`
  for (const word of words) {
    if (line.length + 1 + word.length > width && line !== `${indent}#`) {
      lines.push(line)
      line = `${indent}#`
    }
    line += ` ${word}`
  }
  return [...lines, line]
}

/** A field on one line, for example `models: { main: a, aliases: [ b ] }`. */
export function member(name: string, value: unknown, indent = ''): string {
  return `${indent}${name}: ${inline(value)}`
}

/** The same as a comment: an example to be filled in. */
export function example(text: string, indent = ''): string {
  return `${indent}# ${text}`
}

function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
}

/** The requirements that wait for a capability to be declared, as a sentence. */
export function capabilityDecides(name: Capability): string {
  return sentence(requirementIds.filter((id) => requirements[id].capability === name))
}

/** The requirements that wait for a field of the profile, or for something within it. */
export function memberDecides(name: string): string {
  const waits = (member: string | undefined) =>
    member === name || (member?.startsWith(`${name}.`) ?? false)
  return sentence(requirementIds.filter((id) => waits(requirements[id].member)))
}

const maxListed = 6

function sentence(ids: readonly RequirementId[]): string {
  if (ids.length === 0) return 'No requirement depends on it alone.'
  if (ids.length <= maxListed) return `Needed to test ${ids.join(', ')}.`
  const areas = [...new Set(ids.map(areaOf))]
  return `Needed to test ${ids.length} requirements of ${areas.join(', ')}.`
}
