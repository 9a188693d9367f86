import { printable } from '../../text/escape.ts'
import { binsOf, cumulative } from '../measures.ts'
import type { Distribution } from '../model/measures.ts'
import type { LoadReport, TransactionRow } from '../model/report.ts'

/**
 * Latencies that OpenTelemetry names, as its exporters write them for Prometheus: histograms with the
 * advised buckets, a series for each transaction, counted from the moment of sending. Source:
 * open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-metrics.md, status Development.
 */
export function genAiFamilies(report: LoadReport): readonly Family[] {
  return Object.entries(instruments).map(([key, bounds]) => {
    const [, name = '', metric, help = ''] = /^(\S+) (\w+): (.*)$/.exec(key) ?? []
    const samples = report.transactions.flatMap((transaction) => {
      const own = transaction.metrics.find((one) => one.name === metric)?.service
      return own ? bucketsOf(own, bounds, attributes(report, transaction)) : []
    })
    return { name: `${name.replaceAll('.', '_')}_seconds`, type: 'histogram', help, samples }
  })
}

/** The samples of a histogram. Bounds in seconds, ascending. */
export function bucketsOf(
  distribution: Distribution,
  bounds: readonly number[],
  labels: Labels,
): readonly Sample[] {
  const boundsMs = bounds.map((bound) => 1000 * bound)
  const counts = cumulative(binsOf(distribution), boundsMs)
  const { count, mean } = distribution
  return [
    ...counts.map((value, at) => ({
      suffix: '_bucket',
      labels: { ...labels, le: String(bounds[at]) },
      value,
    })),
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: ((mean ?? 0) * count) / 1000 },
    { suffix: '_count', labels, value: count },
  ]
}

/** Buckets of the duration of an operation, and of its parts. */
export const operationBounds = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]

/** Bucket boundaries that the convention advises, by name in OpenTelemetry, metric and help. */
const instruments: Readonly<Record<string, readonly number[]>> = {
  'gen_ai.client.operation.duration e2e: From sending to the event that ends a complete response.':
    operationBounds,
  'gen_ai.client.operation.time_to_first_chunk ttfe: From sending to the first event of a stream, of any kind.':
    operationBounds,
  'gen_ai.client.operation.time_per_output_chunk icl: Gaps between reads with generated content.':
    operationBounds,
  'gen_ai.server.time_to_first_token ttft: Until the first generated content, including reasoning; measured by the client, including the network.':
    [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  'gen_ai.server.time_per_output_token tpot: From first to last content, divided by the tokens after the first; measured by the client.':
    [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
}

/** Required by the convention: operation and provider; the address is recommended. */
function attributes({ target }: LoadReport, { name, surface }: TransactionRow): Labels {
  const url = URL.canParse(target.baseUrl) ? new URL(target.baseUrl) : null
  return {
    gen_ai_operation_name: 'chat',
    gen_ai_provider_name: 'chatgen',
    ...(url === null
      ? {}
      : {
          server_address: url.hostname,
          server_port: url.port || (url.protocol === 'https:' ? '443' : '80'),
        }),
    transaction: name,
    surface,
  }
}

/**
 * Text exposition format 0.0.4 of Prometheus, for exporters, the textfile collector of the node
 * exporter and Pushgateways. A family occurs once, with its HELP and TYPE before its samples.
 */
export interface Family {
  /** Name with the unit as the last word, and `_total` for a counter. */
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

interface Sample {
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
  const escaped = (text: string) => printable(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`)
  // Nine digits are below a nanosecond here, and round off the noise of sums of seconds.
  const number = Number(value.toPrecision(9))
  return `${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${number}`
}
