/** Dialects, legal servers that differ wherever the document leaves them free, and seeded combinations of them. */
import type { Surface } from '../../../contract/index.ts'
import { isObject } from '../../../contract/json.ts'
import { type Draw, seededDraw } from '../../runtime/random.ts'
import { compose } from '../patches/services.ts'
import type { Dialect } from '../table.ts'
import { echoes, shapes, statuses } from './errors.ts'
import { answerDialects } from './generations/answers.ts'
import { chunks } from './generations/chunks.ts'
import { repeats, v2Chains } from './generations/repeats.ts'
import { events, responses } from './generations/responses.ts'
import { identifiers } from './records/identifiers.ts'
import { listDialects } from './records/lists.ts'
import { settling } from './records/settling.ts'
import { chatRecords, histories, modelLists } from './records/shapes.ts'
import { strictness } from './strictness.ts'
import { framing, httpDialects, lineEnds, paces, segments } from './wire.ts'

/** Dialects in the order of application: patches of the output of others come later. */
export const dialects: readonly Dialect[] = [
  ...strictness,
  ...answerDialects,
  ...settling,
  ...identifiers,
  ...shownOn('v3', histories),
  ...shownOn('v3', responses),
  ...shownOn('v3', events),
  ...shownOn('openai', chunks),
  ...statuses,
  ...shownOn('v3', repeats),
  ...shownOn('v2', v2Chains),
  ...shownOn('v3', chatRecords),
  ...shownOn('openai', modelLists),
  ...shownOn('v3', listDialects),
  ...shapes,
  ...echoes,
  ...httpDialects,
  ...framing,
  ...lineEnds,
  ...segments,
  ...paces,
]

function shownOn(surface: Surface, list: readonly Dialect[]): readonly Dialect[] {
  return list.map((dialect) => ({ ...dialect, surface }))
}

/** Combines three to eight dialects that do not exclude each other; deterministic by seed. */
export function combineDialects(seed: number): Dialect {
  const draw = seededDraw(seed, 'dialects')
  const chosen = drawDialects(3 + Math.floor(draw() * 6), draw)
  const summary = chosen.map(({ name }) => name).join(', ')
  return { ...composeDialects(chosen), name: `combination-${seed}`, summary }
}

/** The nth combination of a size and seed. */
export function composedDialects(count: number, seed: number, at: number): Dialect {
  return composeDialects(drawDialects(count, seededDraw(seed, 'composed', String(at))))
}

function drawDialects(count: number, draw: Draw): readonly Dialect[] {
  const chosen: Dialect[] = []
  for (const dialect of shuffled(dialects, draw)) {
    if (chosen.length < count && chosen.every((other) => agree(dialect, other))) {
      chosen.push(dialect)
    }
  }
  return dialects.filter((dialect) => chosen.includes(dialect))
}

/** Some dialects at once, named after them, joined by ` + `. */
export function composeDialects(chosen: readonly Dialect[]): Dialect {
  return {
    name: chosen.map(({ name }) => name).join(' + '),
    summary: chosen.map(({ summary }) => summary).join(' '),
    profile: chosen.reduce((all, { profile = {} }) => merged(all, profile), {}),
    excludes: [],
    patch: compose(chosen.map(({ patch }) => patch)),
  }
}

/** The combination of a name such as `combination-25`; undefined for other names. */
export function combinationNamed(name: string): Dialect | undefined {
  const [, seed] = /^combination-(\d{1,9})$/.exec(name) ?? []
  return seed === undefined ? undefined : combineDialects(Number(seed))
}

function agree(a: Dialect, b: Dialect): boolean {
  return !a.excludes?.includes(b.name) && !b.excludes?.includes(a.name)
}

function shuffled(list: readonly Dialect[], draw: Draw): readonly Dialect[] {
  const left = [...list]
  return list.flatMap(() => left.splice(Math.floor(draw() * left.length), 1))
}

type Members = Readonly<Record<string, unknown>>

function merged(a: Members, b: Members): Members {
  const both = { ...a }
  for (const [name, value] of Object.entries(b)) {
    const there = both[name]
    both[name] = isObject(there) && isObject(value) ? merged(there, value) : value
  }
  return both
}
