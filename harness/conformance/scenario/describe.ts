import { describe as register } from 'vitest'

interface Section {
  readonly title: string
  readonly body: () => void
}

const sections: Section[] = []

/** A section of the suites. It is written down when its module loads, and made known for each run. */
export function describe(title: string, body: () => void): void {
  sections.push({ title, body })
}

/** Makes all sections known to vitest: modules stay loaded from run to run, what they declare does not. */
export function registerSections(): void {
  for (const { title, body } of sections) register(title, body)
}
