import { printable } from '../../text/escape.ts'

/**
 * Text exposition format 0.0.4 of Prometheus: what an exporter, the textfile collector of the node
 * exporter and a Pushgateway take. A family stands once, with its HELP and TYPE before its samples.
 */
export interface Family {
  /** Name with the unit as the last word, and `_total` for a counter. */
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

export interface Sample {
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

export type Labels = Readonly<Record<string, string>>

export function expositionOf(families: readonly Family[]): string {
  const lines = families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((sample) => `${name}${line(sample)}`),
    ])
  return `${lines.join('\n')}\n`
}

function line({ suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`)
  return `${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberOf(value)}`
}

function escaped(text: string): string {
  return printable(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')
}

/** Sums of seconds carry the noise of binary fractions; nine digits are below a nanosecond here. */
function numberOf(value: number): string {
  return String(Number(value.toPrecision(9)))
}
