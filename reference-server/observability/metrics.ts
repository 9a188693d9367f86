/**
 * Metrics in the Prometheus format. Names and buckets are those of the OpenTelemetry semantic
 * conventions (HTTP server, generative AI) if they have one; other names begin with `chatgen_`.
 */
import type { Page } from '../http/router.ts'
import type { Decode, Decoding } from '../runtime/decoding.ts'
import { type Observer, requestLine } from './observe.ts'

export interface ServerMetrics extends Observer {
  /** GET /metrics. */
  readonly pages: readonly Page[]
  /** Measures the tokens of each answer, at the cost of one comparison per token. */
  measured(decode: Decode): Decode
}

export function serverMetrics(runs: () => number): ServerMetrics {
  const requests = histogram(
    'http_server_request_duration_seconds',
    'Duration of HTTP server requests',
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  )
  const answers = histogram(
    'gen_ai_server_request_duration_seconds',
    'Time from the start of a generation to its last token',
    powersOfTwo(0.01, 14),
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
  const times: TokenTimes = {
    first: firstTokens.observe,
    perToken: laterTokens.observe,
    whole: answers.observe,
  }

  const text = () =>
    [
      requests.text(),
      single('http_server_active_requests', 'gauge', 'Number of active HTTP server requests', [
        ['', active],
      ]),
      answers.text(),
      firstTokens.text(),
      laterTokens.text(),
      single(
        'chatgen_tokens_total',
        'counter',
        'Tokens of prompts and answers',
        Object.entries(tokens)
          .filter(([, count]) => count > 0)
          .map(([type, count]) => [`gen_ai_token_type="${type}"`, count]),
      ),
      single(
        'chatgen_runs_active',
        'gauge',
        'Answers of the native surfaces that are being generated, with or without a client',
        [['', runs()]],
      ),
      '',
    ].join('\n')

  return {
    pages: [{ path: '/metrics', contentType: 'text/plain; version=0.0.4; charset=utf-8', text }],
    begins: () => {
      active += 1
    },
    ends(served, durationMs) {
      active -= 1
      const { method } = requestLine(served)
      const { found, response } = served
      const labels = `http_request_method="${method}",http_route="${found.path ?? ''}",http_response_status_code="${response.statusCode}"`
      requests.observe(durationMs / 1000, labels)
    },
    measured: (decode) => (request) => {
      tokens.input += request.promptTokens
      tokens.output += request.outputTokens
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
    text(): string {
      const lines = [...series].flatMap(([labels, { counts, count, sum }]) => {
        const more = labels === '' ? '' : `,${labels}`
        const all = labels === '' ? '' : `{${labels}}`
        const upTo = (at: number) =>
          counts.slice(0, at + 1).reduce((before, own) => before + own, 0)
        return [
          ...buckets.map((bound, at) => `${name}_bucket{le="${bound}"${more}} ${upTo(at)}`),
          `${name}_bucket{le="+Inf"${more}} ${count}`,
          `${name}_sum${all} ${sum}`,
          `${name}_count${all} ${count}`,
        ]
      })
      return [...head(name, 'histogram', help), ...lines].join('\n')
    },
  }
}

function single(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): string {
  const lines = values.map(([labels, value]) =>
    labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`,
  )
  return [...head(name, type, help), ...lines].join('\n')
}

function head(name: string, type: string, help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

interface TokenTimes {
  readonly first: (seconds: number) => void
  readonly perToken: (seconds: number) => void
  readonly whole: (seconds: number) => void
}

/** Reports the first token, and the end once. */
function observed(decoding: Decoding, count: number, times: TokenTimes): Decoding {
  const startedAt = performance.now()
  let firstAt: number | undefined
  let hasEnded = false
  const first = () => {
    if (firstAt !== undefined) return
    firstAt = performance.now()
    times.first((firstAt - startedAt) / 1000)
  }
  const end = () => {
    if (hasEnded) return
    hasEnded = true
    const endedAt = performance.now()
    times.whole((endedAt - startedAt) / 1000)
    if (firstAt !== undefined && count > 1) times.perToken((endedAt - firstAt) / 1000 / (count - 1))
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

function powersOfTwo(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, power) => from * 2 ** power)
}
