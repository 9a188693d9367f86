import type { ContainerRow } from '../../../contract/report/container.ts'
import { printable } from '../../../reports/text/escape.ts'
import { TargetUnusableError } from '../../conformance/errors.ts'
import type { ContainerSource } from '../../containers/source.ts'
import type { RunningContainer } from '../../containers/start.ts'
import type { Io } from '../terminal/io.ts'
import { secretsOfContainer } from './container-flags.ts'

/**
 * Starts the container, calls `use`, and removes it. If the service in it turns out to be unusable, its
 * last lines are printed.
 */
export async function withContainer<T>(
  source: ContainerSource,
  io: Io,
  use: (container: RunningContainer) => Promise<T>,
): Promise<T> {
  io.redact(secretsOfContainer(source))
  const { startContainer } = await import('../../containers/start.ts')
  const note = (line: string) => io.err(`chatgen: ${line}`)
  const container = await startContainer(source, { signal: io.signal, note })
  try {
    return await use(container)
  } catch (error) {
    if (error instanceof TargetUnusableError) {
      io.err(`last lines of the container of ${container.image}:`)
      for (const line of await container.lastLines()) io.err(printable(line))
    }
    throw error
  } finally {
    await container.remove()
  }
}

/** Adds the container to a report, with its last lines if the report shows a violation. */
export async function withContainerRow<
  Report extends {
    readonly outcome: string
    readonly target: { readonly container?: ContainerRow | undefined }
  },
>(report: Report, container: RunningContainer | null): Promise<Report> {
  if (container === null) return report
  const { image, digest, service } = container
  const log = ['violated', 'unreachable'].includes(report.outcome)
    ? await container.lastLines()
    : []
  const row: ContainerRow = { image, digest, service, log: [...log] }
  return { ...report, target: { ...report.target, container: row } }
}
