import type { ContainerRow } from '../../contract/report/common.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import type { Fact, Section } from '../document/document.ts'
import { printable } from './escape.ts'

/** Numbers with their units, as every report prints them. */

/** `1 request`, `2 requests`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Three significant digits; `n/a` if the value is unknown. */
export function figure(value: number | null): string {
  if (value === null) return 'n/a'
  const size = Math.abs(value)
  if (size === 0 || size >= 100) return value.toFixed(0)
  return value.toFixed(size >= 10 ? 1 : 2)
}

/** A figure with its interval: `412 [398, 431]`; an open end is a dash. */
export function interval(value: number | null, low: number | null, high: number | null): string {
  if (value === null || (low === null && high === null)) return figure(value)
  const end = (bound: number | null) => (bound === null ? '–' : figure(bound))
  return `${figure(value)} [${end(low)}, ${end(high)}]`
}

/** The same with both ends in a list; null without an interval. */
export function ranged(value: number | null, range: readonly number[] | null): string {
  const [low = null, high = null] = range ?? []
  return interval(value, low, high)
}

/** Share in percent, never rounded up to 100 %. */
export function percent(share: number): string {
  const rounded = Number((100 * share).toPrecision(share < 0.1 ? 3 : 4))
  return `${rounded === 100 && share < 1 ? 99.99 : rounded} %`
}

export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`
}

/** `12.3 ms`. */
export function milliseconds(ms: number): string {
  return `${ms.toFixed(1)} ms`
}

/** `200 operations, 0 violations`. */
export function exploredText({
  operations,
  violations,
}: NonNullable<ConformanceReport['exploration']>): string {
  return `${count(operations, 'operation')}, ${count(violations, 'violation')}`
}

/** `41 (12 generations, 3 new chats, 1 upload)`: the requests that a run sent to its target. */
export function costText({
  requests,
  generations,
  chats,
  uploads,
}: ConformanceReport['cost']): string {
  const parts = (
    [
      [generations, 'generation'],
      [chats, 'new chat'],
      [uploads, 'upload'],
    ] as const
  ).flatMap(([number, noun]) => (number === 0 ? [] : [count(number, noun)]))
  return parts.length === 0 ? String(requests) : `${requests} (${parts.join(', ')})`
}

/** `chat:1.4 (sha256:4f0c…)`, with its service in a Compose file. */
function containerText({ image, digest, service }: ContainerRow): string {
  const name = `${printable(image)} (${printable(digest)})`
  return service === null ? name : `service ${printable(service)}, ${name}`
}

/** The container as a fact of a report; none without a container. */
export function containerFacts(lead: string, container: ContainerRow | undefined): readonly Fact[] {
  return container === undefined ? [] : [[lead, containerText(container)]]
}

/** The last lines of the container's output; none without a container. */
export function containerSection(container: ContainerRow | undefined): readonly Section[] {
  if (container === undefined) return []
  const title = `Last lines of the container of ${container.image}`
  return [{ title, blocks: [{ log: container.log }] }]
}
