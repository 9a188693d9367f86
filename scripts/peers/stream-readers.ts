/** Load generators that read a stream event by event. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { loadReport } from '../../contract/report/load/report.ts'
import { bin } from '../foreign/programs.ts'
import { model, type Peer, path, percentiles, promptOf, read, write } from './peer.ts'
import type { Pair } from './truth.ts'

const chatgen: Peer = {
  name: 'chatgen load',
  program: process.execPath,
  version: [bin, '--version'],
  args: (order) => {
    const { url, rate, seconds, tokens, folder } = order
    const mix = write(
      order,
      'mix.yaml',
      `name: peers\ntransactions:\n  - { kind: openai-stream, answer: ${tokens} }\n`,
    )
    return [
      ...[bin, 'load', url, '--mix', mix, '--rate', String(rate), '--arrival', 'constant'],
      ...['--duration', `${seconds}s`, '--warm-up', '1ms', '--workers', '1'],
      ...['--report', 'json', '--quiet', '--out', join(folder, 'chatgen')],
    ]
  },
  figures: (order) => {
    const { metrics } = read(order, 'chatgen/report.json', loadReport)
    const pair = (name: string): Pair => {
      const { quantiles = [] } = metrics.find((metric) => metric.name === name)?.service ?? {}
      const at = (share: number) => quantiles.find(({ q }) => q === share)?.value ?? Number.NaN
      return [at(0.5), at(0.99)]
    }
    return {
      ttft: { pair: pair('ttft'), of: 'ttft' },
      gap: { pair: pair('icl'), of: 'gap' },
      e2e: { pair: pair('e2e'), of: 'terminal' },
    }
  },
  failures: (order) => {
    const { errors, integrity, delivery } = read(order, 'chatgen/report.json', loadReport)
    const failed = errors.reduce((sum, { count }) => sum + count, 0)
    const broken = integrity.findings.map((finding) => finding.broken)
    return Math.max(failed, ...broken, delivery?.usage?.more ?? 0)
  },
  note: 'every event is judged against the interface; one worker',
}

const guidellm: Peer = {
  name: 'GuideLLM',
  program: 'guidellm',
  version: ['--version'],
  env: { GUIDELLM__MAX_WORKER_PROCESSES: '1' },
  args: (order) => {
    const { url, key, rate, seconds, tokens, folder } = order
    const line = `${JSON.stringify({ prompt: promptOf(tokens) })}\n`
    const prompts = write(order, 'prompts.jsonl', line.repeat(rate * seconds))
    const backend = {
      ...{ kind: 'openai_http', target: url, model, api_key: key, max_tokens: tokens },
      ...{ http2: false, validate_backend: false },
      api_routes: { '/v1/chat/completions': path.slice(1) },
    }
    return [
      ...['run', '--backend', JSON.stringify(backend)],
      ...['--profile', `kind=constant,rate=${rate}`],
      ...['--constraint', `kind=max_requests,count=${rate * seconds}`],
      ...['--data', `kind=json_file,path=${prompts}`],
      ...['--output', `kind=json,path=${join(folder, 'guidellm.json')}`, '--disable-console'],
    ]
  },
  figures: (order) => {
    const row = z.object({ successful: z.object({ percentiles }) })
    const rows = z.object({
      time_to_first_token_ms: row,
      inter_token_latency_ms: row,
      request_latency: row,
    })
    const { benchmarks } = read(
      order,
      'guidellm.json',
      z.object({ benchmarks: z.array(z.object({ metrics: rows })) }),
    )
    const { metrics } = benchmarks[0] ?? {}
    const pair = (name: keyof z.infer<typeof rows>, unit = 1): Pair => {
      const { p50, p99 } = metrics?.[name].successful.percentiles ?? {
        p50: Number.NaN,
        p99: Number.NaN,
      }
      return [p50 * unit, p99 * unit]
    }
    return {
      ttft: { pair: pair('time_to_first_token_ms'), of: 'ttft' },
      gap: { pair: pair('inter_token_latency_ms'), of: 'tpot' },
      e2e: { pair: pair('request_latency', 1000), of: 'ended' },
    }
  },
  failures: (order) => {
    const totals = z.object({ errored: z.number(), incomplete: z.number() })
    const metrics = z.object({ request_totals: totals })
    const schema = z.object({ benchmarks: z.tuple([z.object({ metrics })]) })
    const [{ metrics: found }] = read(order, 'guidellm.json', schema).benchmarks
    return found.request_totals.errored + found.request_totals.incomplete
  },
  note: 'its inter-token latency is the mean of a request, compared with the same mean; one worker process (GUIDELLM__MAX_WORKER_PROCESSES=1) instead of ten',
}

/** Two words, so that no tokenizer has to be downloaded. */
const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', vocab: { '<unk>': 0, the: 1 }, unk_token: '<unk>' },
}

const aiperf: Peer = {
  name: 'AIPerf',
  program: 'aiperf',
  version: ['--version'],
  args: (order) => {
    const { url, key, rate, seconds, tokens, folder } = order
    write(order, 'tokenizer.json', JSON.stringify(tokenizer))
    const kind = { tokenizer_class: 'PreTrainedTokenizerFast', unk_token: '<unk>' }
    write(order, 'tokenizer_config.json', JSON.stringify(kind))
    const prompts = write(order, 'texts.jsonl', `${JSON.stringify({ text: promptOf(tokens) })}\n`)
    return [
      ...['profile', '-m', model, '-u', url, '--custom-endpoint', path, '--endpoint-type', 'chat'],
      ...['--streaming', '--api-key', key, '--tokenizer', folder],
      ...['--input-file', prompts, '--custom-dataset-type', 'single_turn'],
      ...['--request-rate', String(rate), '--arrival-pattern', 'constant'],
      ...['--request-count', String(rate * seconds), '--extra-inputs', `max_tokens:${tokens}`],
      ...['--ui', 'none', '--no-server-metrics', '--no-gpu-telemetry'],
      ...['--output-artifact-dir', join(folder, 'aiperf')],
    ]
  },
  figures: (order) => {
    const found = read(
      order,
      'aiperf/profile_export_aiperf.json',
      z.object({
        time_to_first_token: percentiles,
        inter_chunk_latency: percentiles,
        request_latency: percentiles,
      }),
    )
    const pair = ({ p50, p99 }: z.infer<typeof percentiles>): Pair => [p50, p99]
    return {
      ttft: { pair: pair(found.time_to_first_token), of: 'ttft' },
      gap: { pair: pair(found.inter_chunk_latency), of: 'gap' },
      e2e: { pair: pair(found.request_latency), of: 'ended' },
    }
  },
  failures: (order) => {
    const file = 'aiperf/profile_export_aiperf.json'
    // It writes none if every request failed.
    if (!existsSync(join(order.folder, file))) return order.rate * order.seconds
    const schema = z.object({ error_request_count: z.object({ avg: z.number() }).nullish() })
    return read(order, file, schema).error_request_count?.avg ?? 0
  },
  note: 'its inter-chunk latency; its tokenizer is one of two words that the script writes',
}

export const streamReaders: readonly Peer[] = [chatgen, guidellm, aiperf]
