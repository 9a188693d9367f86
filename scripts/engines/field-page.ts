import type { RequirementResult } from '../../contract/report/conformance.ts'
import { withoutColors } from '../../reports/text/escape.ts'
import { notRun, type Tried } from './servers.ts'

/** `docs/field.md`: violations of the common wire format by third-party servers. */
export function fieldPage(tried: readonly Tried[]): string {
  return [
    '<!-- Written by `npm run engines -- --write`; edits are overwritten. -->',
    '',
    '# Servers in the field',
    '',
    'Servers of others with a compatible surface, checked with `--profile wire`: what the common format of chat',
    'completions demands of every server, without what only the interface document demands. A violation is of a',
    'required requirement, a warning of an expected one. `npm run engines` repeats the checks, and fails on a verdict',
    'that differs from what was verified by hand.',
    '',
    '| Server | Version | Violated | Warnings | Passed | Undecided |',
    '| --- | --- | --- | --- | --- | --- |',
    ...tried.map(({ server, report }) => {
      const { pass, fail, warn, inconclusive, unproven } = report.totals
      const cells = [server.name, server.version, fail, warn, pass, inconclusive + unproven]
      return `| ${cells.join(' | ')} |`
    }),
    ...tried.flatMap(details),
    '',
    '## Not run',
    '',
    ...Object.entries(notRun).map(([name, reason]) => `- ${name}: ${reason}.`),
    '',
  ].join('\n')
}

function details({ server, report }: Tried): readonly string[] {
  const broken = report.requirements.filter(({ verdict }) => ['fail', 'warn'].includes(verdict))
  return [
    '',
    `## ${server.name}`,
    '',
    server.about,
    '',
    ...(broken.length === 0
      ? ['Breaks nothing.']
      : ['| Requirement | Level | Found |', '| --- | --- | --- |', ...broken.map(requirement)]),
  ]
}

const maxEvidence = 220

function requirement({ id, level, section, message }: RequirementResult): string {
  const text = withoutColors(message ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const evidence = text.length > maxEvidence ? `${text.slice(0, maxEvidence)}…` : text
  const cell = evidence.replaceAll('|', '\\|').replaceAll('`', "'")
  return `| [${id}](interface/${section}.md#${id.toLowerCase()}) | ${level} | \`${cell}\` |`
}
