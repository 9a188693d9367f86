/** Load generators: first those that read a stream event by event, then those that read an answer as a whole. */

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { loadReport } from '../../reports/load/model/report.ts'
import { bin } from '../foreign/programs.ts'
import {
  bodyOf,
  model,
  numberAt,
  type Order,
  type Peer,
  path,
  prompt,
  read,
  stdoutName,
  sumAt,
  write,
} from './peer.ts'

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
      ...[bin, 'load', url, '--prefix', 'openai=/v1', '--mix', mix],
      ...['--rate', String(rate), '--arrival', 'constant', '--duration', `${seconds}s`],
      ...['--warm-up', '1ms', '--workers', '1'],
      ...['--report', 'json', '--quiet', '--out', join(folder, 'chatgen')],
    ]
  },
  report: (order) => {
    const report = loadReport.parse(read(order, 'chatgen/report.json'))
    const { metrics, errors, integrity, delivery } = report
    const failed = errors.reduce((sum, { count }) => sum + count, 0)
    const broken = integrity.findings.map((finding) => finding.broken)
    const latencies = metrics.map(({ name, service }) => {
      const quantiles = (service?.quantiles ?? []).map(({ q, value }) => [`p${q * 100}`, value])
      return [name, Object.fromEntries(quantiles)]
    })
    return {
      ...Object.fromEntries(latencies),
      failures: Math.max(failed, ...broken, delivery?.usage?.more ?? 0),
    }
  },
  ttft: { at: 'ttft', of: 'firstToken' },
  gap: { at: 'icl', of: 'gap' },
  e2e: { at: 'e2e', of: 'terminal' },
  failures: (report) => numberAt(report, 'failures'),
  note: 'every event is judged against the interface; one worker',
}

const guidellm: Peer = {
  name: 'GuideLLM',
  program: 'guidellm',
  version: ['--version'],
  env: { GUIDELLM__MAX_WORKER_PROCESSES: '1' },
  args: (order) => {
    const { url, key, rate, seconds, tokens, folder } = order
    const line = `${JSON.stringify({ prompt })}\n`
    const prompts = write(order, 'prompts.jsonl', line.repeat(rate * seconds))
    const backend = {
      ...{ kind: 'openai_http', target: url, model, api_key: key, max_tokens: tokens },
      ...{ http2: false, validate_backend: false },
    }
    return [
      ...['run', '--backend', JSON.stringify(backend)],
      ...['--profile', `kind=constant,rate=${rate}`],
      ...['--constraint', `kind=max_requests,count=${rate * seconds}`],
      ...['--data', `kind=json_file,path=${prompts}`],
      ...['--output', `kind=json,path=${join(folder, 'guidellm.json')}`, '--disable-console'],
    ]
  },
  report: (order) => Object(read(order, 'guidellm.json')).benchmarks[0].metrics,
  ttft: { at: 'time_to_first_token_ms.successful.percentiles', of: 'firstToken' },
  gap: { at: 'inter_token_latency_ms.successful.percentiles', of: 'tpot' },
  e2e: { at: 'request_latency.successful.percentiles', unit: 1000, of: 'ended' },
  failures: (report) =>
    numberAt(report, 'request_totals.errored') + numberAt(report, 'request_totals.incomplete'),
  note: 'its inter-token latency is the mean of a request, compared with the same mean; one worker process (GUIDELLM__MAX_WORKER_PROCESSES=1) instead of ten',
}

const aiperf: Peer = {
  name: 'AIPerf',
  program: 'aiperf',
  version: ['--version'],
  args: (order) => {
    const { url, key, rate, seconds, tokens, folder } = order
    const prompts = write(order, 'texts.jsonl', `${JSON.stringify({ text: prompt })}\n`)
    return [
      ...['profile', '-m', model, '-u', url, '--custom-endpoint', path, '--endpoint-type', 'chat'],
      ...['--streaming', '--api-key', key, '--tokenizer', tokenizerIn(order)],
      ...['--input-file', prompts, '--custom-dataset-type', 'single_turn'],
      ...['--request-rate', String(rate), '--arrival-pattern', 'constant'],
      ...['--request-count', String(rate * seconds), '--extra-inputs', `max_tokens:${tokens}`],
      ...['--ui', 'none', '--no-server-metrics', '--no-gpu-telemetry'],
      ...['--output-artifact-dir', join(folder, 'aiperf')],
    ]
  },
  report: 'aiperf/profile_export_aiperf.json',
  ttft: { at: 'time_to_first_token', of: 'firstToken' },
  gap: { at: 'inter_chunk_latency', of: 'gap' },
  e2e: { at: 'request_latency', of: 'ended' },
  failures: (report) => numberAt(report, 'error_request_count.avg') || 0,
  note: 'its inter-chunk latency; its tokenizer is one of two words that the script writes',
}

const medianSeconds = { names: ['median', 'p99'], unit: 1000 } as const

const inferencePerf: Peer = {
  name: 'inference-perf',
  program: 'inference-perf',
  version: ['--help'],
  args: (order) => {
    const { url, rate, seconds, connections, folder } = order
    const config = {
      api: { type: 'chat', streaming: true },
      data: { type: 'mock' },
      load: {
        ...{ type: 'constant', interval: 0, stages: [{ rate, duration: seconds }] },
        ...{ num_workers: 1, worker_max_concurrency: connections },
      },
      server: { type: 'vllm', model_name: model, base_url: url, ignore_eos: false },
      tokenizer: { pretrained_model_name_or_path: tokenizerIn(order) },
      storage: { local_storage: { path: join(folder, 'inference-perf') } },
    }
    return ['--config_file', write(order, 'config.yaml', JSON.stringify(config))]
  },
  report: 'inference-perf/summary_lifecycle_metrics.json',
  ttft: { at: 'successes.latency.time_to_first_token', ...medianSeconds, of: 'firstToken' },
  gap: { at: 'successes.latency.inter_token_latency', ...medianSeconds, of: 'gap' },
  e2e: { at: 'successes.latency.request_latency', ...medianSeconds, of: 'ended' },
  failures: (report) => numberAt(report, 'failures.count'),
  note: 'one worker process; prompts and tokenizer are mocks',
}

/** Two words, so that no tokenizer has to be downloaded. @returns the folder with its files */
function tokenizerIn(order: Order): string {
  const tokenizer = {
    ...{ version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null },
    ...{ pre_tokenizer: { type: 'Whitespace' }, post_processor: null, decoder: null },
    model: { type: 'WordLevel', vocab: { '<unk>': 0, the: 1 }, unk_token: '<unk>' },
  }
  const kind = { tokenizer_class: 'PreTrainedTokenizerFast', unk_token: '<unk>' }
  write(order, 'tokenizer.json', JSON.stringify(tokenizer))
  write(order, 'tokenizer_config.json', JSON.stringify(kind))
  return order.folder
}

const vegeta: Peer = {
  name: 'vegeta',
  program: 'vegeta',
  version: ['-version'],
  args: (order) => {
    const { url, key, rate, seconds, folder } = order
    const body = write(order, 'body.json', bodyOf(order))
    const targets = write(
      order,
      'targets.txt',
      `POST ${url}${path}\nAuthorization: Bearer ${key}\nContent-Type: application/json\n@${body}\n`,
    )
    return [
      ...['attack', `-rate=${rate}/1s`, `-duration=${seconds}s`, `-targets=${targets}`],
      ...['-timeout=60s', `-output=${join(folder, 'vegeta.bin')}`],
    ]
  },
  report: ({ folder }) => {
    const args = ['report', '-type=json', join(folder, 'vegeta.bin')]
    return JSON.parse(execFileSync('vegeta', args, { encoding: 'utf8' }))
  },
  e2e: { at: 'latencies', names: ['50th', '99th'], unit: 1e-6, of: 'ended' },
  failures: (report) => sumAt(report, 'status_codes', '200'),
  note: 'reads an answer as a whole',
}

const oha: Peer = {
  name: 'oha',
  program: 'oha',
  version: ['--version'],
  args: (order) => {
    const { url, key, rate, seconds, connections, folder } = order
    return [
      ...['-q', String(rate), '-z', `${seconds}s`, '-w', '-c', String(connections), '--no-tui'],
      ...['-m', 'POST', '-H', `authorization: Bearer ${key}`, '-T', 'application/json'],
      ...['-d', bodyOf(order), '--output-format', 'json', '-o', join(folder, 'oha.json')],
      `${url}${path}`,
    ]
  },
  report: 'oha.json',
  ttft: { at: 'firstBytePercentiles', unit: 1000, of: 'firstEvent' },
  e2e: { at: 'latencyPercentiles', unit: 1000, of: 'ended' },
  failures: (report) =>
    sumAt(report, 'statusCodeDistribution', '200') + sumAt(report, 'errorDistribution'),
  note: 'reads an answer as a whole; its first token is the first byte, compared with the first event',
}

const autocannon: Peer = {
  name: 'autocannon',
  program: 'autocannon',
  version: ['--version'],
  args: (order) => {
    const { url, key, rate, seconds, connections } = order
    return [
      ...['--overallRate', String(rate), '--duration', String(seconds)],
      ...['--connections', String(connections), '--method', 'POST', '--body', bodyOf(order)],
      ...['--headers', `authorization=Bearer ${key}`],
      ...['--headers', 'content-type=application/json', '--timeout', '60'],
      ...['--ignoreCoordinatedOmission', '--json', `${url}${path}`],
    ]
  },
  report: stdoutName,
  e2e: { at: 'latency', of: 'ended' },
  failures: (report) => numberAt(report, 'errors') + numberAt(report, 'non2xx'),
  note: 'reads an answer as a whole, in whole milliseconds',
}

export const peers: readonly Peer[] = [
  ...[chatgen, guidellm, aiperf, inferencePerf],
  ...[vegeta, oha, autocannon],
]
