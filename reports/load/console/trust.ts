import type { LoadReport } from '../../../contract/report/load/report.ts'
import { figure, percent } from '../../text/format.ts'
import { hanging, type Lines, type Page } from '../../text/page.ts'

export function generatorList(page: Page, { generator }: LoadReport): Lines {
  const { verdict, reasons, timestampError, scheduleDelay, eventLoopUtilization } = generator
  const paint = {
    valid: page.chalk.green,
    degraded: page.chalk.yellow,
    invalid: page.chalk.red,
  }[verdict]
  const spread = (name: string, found: typeof timestampError) =>
    found === null
      ? `${name} unknown`
      : `${name} p50 ${figure(found.p50)}, p99 ${figure(found.p99)}, max ${figure(found.max)} ms`
  const figures = [
    spread('timestamp error', timestampError),
    spread('send delay', scheduleDelay),
    `busiest event loop ${percent(eventLoopUtilization)}`,
    `${figure(generator.eventsPerSecond)} events/s`,
    ...(generator.eventsPerCpuSecond === null
      ? []
      : [`${figure(generator.eventsPerCpuSecond)} per CPU second`]),
  ]
  return [
    `${page.chalk.bold('Generator')} ${paint(verdict)}`,
    ...reasons.flatMap((reason) => hanging(page, '  reason: ', reason)),
    ...hanging(page, '  ', figures.join('; ')),
  ]
}

export function auditList(page: Page, { audits }: LoadReport): Lines {
  if (audits.length === 0) return []
  return [
    page.chalk.bold('Audits'),
    ...audits.flatMap(({ name, verdict, message }) => {
      const word = verdict === 'not-applicable' ? 'n/a' : verdict
      const painted = verdict === 'fail' ? page.chalk.red(word.padEnd(4)) : word.padEnd(4)
      return hanging(page, `  ${painted} `, `${name}: ${message}`, 7)
    }),
  ]
}
