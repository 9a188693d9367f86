/**
 * Metrics in the Prometheus format. Names and buckets are those of the OpenTelemetry semantic
 * conventions (HTTP server, generative AI) if they have one; other names begin with `chatgen_`.
 */
import { pageRoute } from '../http/call.ts'
import type { Decode, Decoding } from '../runtime/decoding.ts'
import type { Observer } from './observe.ts'

export function serverMetrics(runs: () => number) {
  const requests = histogram(
    'http_server_request_duration_seconds',
    'Duration of HTTP server requests',
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  )
  const answers = histogram(
    'gen_ai_server_request_duration_seconds',
    'Time from the start of a generation to its last token',
    Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power),
  )
  const firstTokens = histogram(
    'gen_ai_server_time_to_first_token_seconds',
    'Time to the first token of streamed answers',
    [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  )
  const laterTokens = histogram(
    'gen_ai_server_time_per_output_token_seconds',
    'Time per token after the first one, of streamed answers',
    [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
  )
  let active = 0
  const tokens = { input: 0, output: 0 }

  const text = () => {
    const ofTokens = Object.entries(tokens)
      .filter(([, count]) => count > 0)
      .map(([type, count]): Sample => [`{gen_ai_token_type="${type}"}`, count])
    const ofRuns =
      'Answers of the native surfaces that are being generated, with or without a client'
    return [
      ...requests.lines(),
      ...metric('http_server_active_requests', 'gauge', 'Number of active HTTP server requests', [
        ['', active],
      ]),
      ...answers.lines(),
      ...firstTokens.lines(),
      ...laterTokens.lines(),
      ...metric('chatgen_tokens_total', 'counter', 'Tokens of prompts and answers', ofTokens),
      ...metric('chatgen_runs_active', 'gauge', ofRuns, [['', runs()]]),
      '',
    ].join('\n')
  }

  const observer: Observer = {
    begins: () => {
      active += 1
    },
    ends({ request: { method = 'GET' }, found, response }, durationMs) {
      active -= 1
      const labels = `http_request_method="${method}",http_route="${found.path ?? ''}",http_response_status_code="${response.statusCode}"`
      requests.observe(durationMs / 1000, labels)
    },
  }
  return {
    observer,
    page: pageRoute('/metrics', 'text/plain; version=0.0.4; charset=utf-8', text),
    /** Measures the tokens of each answer, at the cost of one comparison per token. */
    measured:
      (decode: Decode): Decode =>
      (request) => {
        tokens.input += request.promptTokens
        tokens.output += request.outputTokens
        const times = { first: firstTokens, later: laterTokens, whole: answers }
        return observed(decode(request), request.outputTokens, times)
      },
  }
}

/** A histogram in the text format; labels are written as `name="value",…`. */
function histogram(name: string, help: string, buckets: readonly number[]) {
  const series = new Map<string, { readonly counts: number[]; count: number; sum: number }>()
  return {
    observe(value: number, labels = ''): void {
      const one = series.get(labels) ?? { counts: buckets.map(() => 0), count: 0, sum: 0 }
      if (one.count === 0) series.set(labels, one)
      one.count += 1
      one.sum += value
      const at = buckets.findIndex((bound) => value <= bound)
      if (at >= 0) one.counts[at] = (one.counts[at] ?? 0) + 1
    },
    lines(): readonly string[] {
      const samples = [...series].flatMap(([labels, { counts, count, sum }]): Sample[] => {
        const more = labels === '' ? '' : `,${labels}`
        const all = labels === '' ? '' : `{${labels}}`
        let upTo = 0
        return [
          ...buckets.map((bound, at): Sample => {
            upTo += counts[at] ?? 0
            return [`_bucket{le="${bound}"${more}}`, upTo]
          }),
          [`_bucket{le="+Inf"${more}}`, count],
          [`_sum${all}`, sum],
          [`_count${all}`, count],
        ]
      })
      return metric(name, 'histogram', help, samples)
    },
  }
}

/** Suffix of the name with the labels, and the value. */
type Sample = readonly [suffix: string, value: number]

function metric(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
): readonly string[] {
  const values = samples.map(([suffix, value]) => `${name}${suffix} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...values]
}

type Times = Readonly<Record<'first' | 'later' | 'whole', ReturnType<typeof histogram>>>

/** Reports the first token, and the end once. */
function observed(decoding: Decoding, count: number, times: Times): Decoding {
  const startedAt = performance.now()
  let firstAt: number | undefined
  let hasEnded = false
  const first = () => {
    if (firstAt !== undefined) return
    firstAt = performance.now()
    times.first.observe((firstAt - startedAt) / 1000)
  }
  const end = () => {
    if (hasEnded) return
    hasEnded = true
    const endedAt = performance.now()
    times.whole.observe((endedAt - startedAt) / 1000)
    if (firstAt === undefined || count <= 1) return
    times.later.observe((endedAt - firstAt) / 1000 / (count - 1))
  }
  return {
    get endsAt() {
      return decoding.endsAt
    },
    token(n, signal) {
      const wait = decoding.token(n, signal)
      if (n === 1) after(wait, first)
      if (n === count) after(wait, end)
      return wait
    },
    all(signal) {
      const wait = decoding.all(signal)
      after(wait, end)
      return wait
    },
  }
}

/** An abandoned answer is not measured. */
function after(wait: Promise<void> | undefined, observe: () => void): void {
  if (wait === undefined) observe()
  else wait.then(observe, () => {})
}
