import { areaOf } from './index.ts'

/** Ids as one short line per area, `V3-HIST 01-05 07 08`, areas in the order of their first id. */
export function compactIds(ids: readonly string[]): readonly string[] {
  const areas = Map.groupBy(ids, areaOf)
  return [...areas].map(([area, own]) => {
    const numbers = own.map((id) => Number(id.slice(area.length + 1))).toSorted((a, b) => a - b)
    return [area, ...runs(numbers).map(runText)].join(' ')
  })
}

type Run = readonly [first: number, last: number]

function runs(numbers: readonly number[]): readonly Run[] {
  const found: Run[] = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] + 1 === number) found[found.length - 1] = [last[0], number]
    else found.push([number, number])
  }
  return found
}

/** Two consecutive numbers are listed separately, which is shorter and clearer. */
function runText([first, last]: Run): string {
  if (first === last) return digits(first)
  return last === first + 1
    ? `${digits(first)} ${digits(last)}`
    : `${digits(first)}-${digits(last)}`
}

function digits(number: number): string {
  return String(number).padStart(2, '0')
}
