import { requirementIds } from '../../../../contract/index.ts'
import type { Hooks } from './hooks.ts'
import type { Wrong } from './judged.ts'

/**
 * Several wrong behaviours of one server, which have nothing to do with each other: the rows of all
 * of them are broken, and no other. It saves runs, and shows that a fault does not hide another.
 */
export function together(...wrongs: readonly Wrong[]): Wrong {
  const order = (ids: readonly string[]) =>
    ids.toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
  return {
    what: wrongs.map(({ what }) => what).join('; '),
    hooks: wrongs.map(({ hooks }) => hooks).reduce(both),
    breaks: order(wrongs.flatMap(({ breaks }) => breaks)),
    leavesOpen: order(wrongs.flatMap(({ leavesOpen = [] }) => leavesOpen)),
  }
}

/** Place in the catalogue of the row that a line begins with. */
function place(line: string): number {
  const ids: readonly string[] = requirementIds
  return ids.indexOf(line.split(' ')[0] ?? line)
}

/** Joins two sets of hooks: changes to an answer apply in turn, and a check passes only if both pass. */
function both(a: Partial<Hooks>, b: Partial<Hooks>): Partial<Hooks> {
  const merged: Record<string, unknown> = { ...a, ...b }
  for (const name of Object.keys(a).filter((key) => Object.hasOwn(b, key))) {
    const [first, second] = [value(a, name), value(b, name)]
    if (changes.includes(name)) {
      merged[name] = (subject: unknown, ...rest: unknown[]) =>
        second(first(subject, ...rest), ...rest)
    } else if (permissions.includes(name)) {
      merged[name] = (...given: unknown[]) => first(...given) === true && second(...given) === true
    } else if (name !== 'gapMs') throw new Error(`two behaviours replace ${name}`)
  }
  return merged
}

const changes = ['completion', 'chunks', 'models', 'events', 'response', 'bytes', 'row', 'page']
const permissions = ['checks', 'remembers', 'knows']

function value(hooks: Partial<Hooks>, name: string): (...given: unknown[]) => unknown {
  return Object.getOwnPropertyDescriptor(hooks, name)?.value
}
