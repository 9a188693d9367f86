import type { ContainerRow } from '../../contract/report/container.ts'
import type { Fact, Section } from '../document/document.ts'
import { printable } from './escape.ts'

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
