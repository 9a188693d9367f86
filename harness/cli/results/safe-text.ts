/** Texts from outside, made safe for files and for the screen. */
import { randomUUID } from 'node:crypto'
import { withoutCommands } from '../../../reports/conformance/github.ts'
import type { Io } from '../terminal/io.ts'

/** Redacts a report before its digest is computed: redaction afterwards would invalidate the digest. */
export function withoutSecrets<Report>(report: Report, io: Pick<Io, 'clean'>): Report {
  return JSON.parse(io.clean(JSON.stringify(report)))
}

/**
 * Console text without workflow commands: GitHub Actions interprets every line of output that looks like
 * one, and a target could have sent it.
 */
export function withoutWorkflowCommands(text: string, env: Io['env']): string {
  return env['GITHUB_ACTIONS'] === 'true' ? withoutCommands(text, randomUUID()) : text
}
