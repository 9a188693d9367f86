/**
 * Metrics in the Prometheus format. Names and buckets are those of the OpenTelemetry semantic
 * conventions (HTTP server, generative AI) where they have one, else they begin with `chatgen_`.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Decode, Decoding } from '../runtime/decoding.ts'
import type { AnsweredRequest } from './answered-request.ts'

export interface ServerMetrics {
  readonly contentType: string
  text(): Promise<string>
  requestBegins(): void
  requestEnds(request: AnsweredRequest): void
  /** Measures the tokens of each answer; adds nothing to a token but a comparison. */
  measured(decode: Decode): Decode
}

export function serverMetrics(runs: () => number): ServerMetrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    registers,
  })
  const active = new Gauge({
    name: 'http_server_active_requests',
    help: 'Number of active HTTP server requests',
    registers,
  })
  const answers = new Histogram({
    name: 'gen_ai_server_request_duration_seconds',
    help: 'Time from the start of a generation to its last token',
    buckets: powersOfTwo(0.01, 14),
    registers,
  })
  const firstTokens = new Histogram({
    name: 'gen_ai_server_time_to_first_token_seconds',
    help: 'Time to the first token of streamed answers',
    buckets: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    registers,
  })
  const laterTokens = new Histogram({
    name: 'gen_ai_server_time_per_output_token_seconds',
    help: 'Time per token after the first one, of streamed answers',
    buckets: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
    registers,
  })
  const tokens = { input: 0, output: 0 }
  new Counter({
    name: 'chatgen_tokens_total',
    help: 'Tokens of prompts and answers',
    labelNames: ['gen_ai_token_type'],
    registers,
    collect() {
      this.reset()
      for (const [type, count] of Object.entries(tokens)) {
        if (count > 0) this.inc({ gen_ai_token_type: type }, count)
      }
    },
  })
  new Gauge({
    name: 'chatgen_runs_active',
    help: 'Answers of the native surfaces that are being generated, with or without a client',
    registers,
    collect() {
      this.set(runs())
    },
  })

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    requestBegins: () => active.inc(),
    requestEnds({ method, route, status, durationMs }) {
      active.dec()
      const labels = {
        http_request_method: method,
        http_route: route ?? '',
        http_response_status_code: status,
      }
      requests.observe(labels, durationMs / 1000)
    },
    measured: (decode) => (request) => {
      tokens.input += request.promptTokens
      tokens.output += request.outputTokens
      return observed(decode(request), request.outputTokens, {
        first: (seconds) => firstTokens.observe(seconds),
        perToken: (seconds) => laterTokens.observe(seconds),
        whole: (seconds) => answers.observe(seconds),
      })
    },
  }
}

interface TokenTimes {
  readonly first: (seconds: number) => void
  readonly perToken: (seconds: number) => void
  readonly whole: (seconds: number) => void
}

function observed(decoding: Decoding, count: number, times: TokenTimes): Decoding {
  const startedAt = performance.now()
  let firstAt: number | undefined
  let ended = false
  const seconds = (from: number) => (performance.now() - from) / 1000
  const first = () => {
    if (firstAt !== undefined) return
    firstAt = performance.now()
    times.first(seconds(startedAt))
  }
  const end = () => {
    if (ended) return
    ended = true
    times.whole(seconds(startedAt))
    if (firstAt !== undefined && count > 1) times.perToken(seconds(firstAt) / (count - 1))
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

/** An answer that is given up is not measured. */
function after(wait: Promise<void> | undefined, observe: () => void): void {
  if (wait === undefined) observe()
  else wait.then(observe, () => {})
}

function powersOfTwo(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, power) => from * 2 ** power)
}
