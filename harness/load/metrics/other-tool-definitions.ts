import type { RequestRecord } from '../record.ts'

/** One figure of another tool, as that tool computes it of a request. Nanoseconds. */
export interface Definition {
  readonly tool: string
  readonly metric: string
  readonly formula: string
  /** Source in the tool's code or documentation. */
  readonly source: string
  /** Values of a request that the tool counts as a success; several for pooled gaps. */
  values(record: RequestRecord): readonly number[]
}

const vllm = 'vLLM bench serve'
const aiperf = 'AIPerf'
const guidellm = 'GuideLLM'
const llmperf = 'llmperf'

const vllmClient =
  'vllm-project/vllm@02cfb534 vllm/benchmarks/lib/endpoint_request_func.py, async_request_openai_chat_completions'
const vllmMetrics = 'vllm-project/vllm@009e6d4a vllm/benchmarks/serve.py, calculate_metrics'
const aiperfMetrics = 'ai-dynamo/aiperf@0176f594 docs/metrics-reference.md'
const guidellmStats = 'vllm-project/guidellm@ee7a7745 request_stats.py'
const llmperfClient =
  'ray-project/llmperf@f1d6bed src/llmperf/ray_clients/openai_chat_completions_client.py'

/**
 * Figures of other tools for the same requests. All of them start their clock when they
 * dispatch, connecting included; all of them count a stream that is cut off in the middle as a
 * success, and leave out what never ended. Tokens are those of the usage; where a tool counts with a
 * tokenizer of its own, its figure differs by that.
 */
export const definitions: readonly Definition[] = [
  {
    tool: vllm,
    metric: 'TTFT',
    formula: 'first message that has `choices`, empty or not - dispatch',
    source: vllmClient,
    values: (record) => since(record, record.timestamps.firstEvent),
  },
  {
    tool: vllm,
    metric: 'TPOT',
    formula: '(E2EL - TTFT) / (tokens - 1), only where tokens > 1',
    source: vllmMetrics,
    values: ({ timestamps, counts }) =>
      per(span(timestamps.firstEvent, timestamps.lastGenerated), (counts.outputTokens ?? 0) - 1),
  },
  {
    tool: vllm,
    metric: 'ITL',
    formula: 'gaps between messages, pooled; a message counts as a token',
    source: vllmClient,
    values: ({ timestamps, gapsNs }) => {
      const first = span(timestamps.firstEvent, timestamps.firstGenerated)
      // The opening message carries no content, and its gap counts too.
      return first === null || first === 0 ? gapsNs : [first, ...gapsNs]
    },
  },
  {
    tool: vllm,
    metric: 'E2EL',
    formula: 'last message with `choices` - dispatch; usage, [DONE] and close are not in it',
    source: vllmClient,
    values: (record) => since(record, record.timestamps.lastGenerated),
  },
  {
    tool: aiperf,
    metric: 'Time to First Token',
    formula: 'first response with content, reasoning included - dispatch',
    source: aiperfMetrics,
    values: (record) => since(record, record.timestamps.firstGenerated),
  },
  {
    tool: aiperf,
    metric: 'Time to Second Token',
    formula: 'second response with content - first',
    source: aiperfMetrics,
    values: ({ gapsNs }) => gapsNs.slice(0, 1),
  },
  {
    tool: aiperf,
    metric: 'Time to First Output Token',
    formula: 'first response with content that is no reasoning - dispatch',
    source: aiperfMetrics,
    values: (record) => since(record, record.timestamps.firstText),
  },
  {
    tool: aiperf,
    metric: 'Inter Token Latency',
    formula: '(last response - first response) / (tokens - 1), one figure a request',
    source: aiperfMetrics,
    values: ({ timestamps, counts }) =>
      per(
        span(timestamps.firstGenerated, timestamps.lastGenerated),
        (counts.outputTokens ?? 0) - 1,
      ),
  },
  {
    tool: aiperf,
    metric: 'Inter Chunk Latency',
    formula: 'gaps between responses with content, pooled; a gap of 0 voids the request',
    source: aiperfMetrics,
    values: ({ gapsNs }) => (gapsNs.includes(0) ? [] : gapsNs),
  },
  {
    tool: aiperf,
    metric: 'Request Latency',
    formula: 'last response with content - dispatch',
    source: aiperfMetrics,
    values: (record) => since(record, record.timestamps.lastGenerated),
  },
  {
    tool: guidellm,
    metric: 'TTFT',
    formula: 'first delta with reasoning, text or a tool call - dispatch',
    source: guidellmStats,
    values: (record) => since(record, record.timestamps.firstGenerated),
  },
  {
    tool: guidellm,
    metric: 'ITL',
    formula: '(last - first token) / (tokens - 1), one figure a request',
    source: guidellmStats,
    values: ({ timestamps, counts }) =>
      per(
        span(timestamps.firstGenerated, timestamps.lastGenerated),
        (counts.outputTokens ?? 0) - 1,
      ),
  },
  {
    tool: guidellm,
    metric: 'TPOT',
    formula: '(last token - dispatch) / tokens: the first token time is in it',
    source: guidellmStats,
    values: ({ timestamps, counts }) =>
      per(span(timestamps.dispatched, timestamps.lastGenerated), counts.outputTokens ?? 0),
  },
  {
    tool: guidellm,
    metric: 'Request Latency',
    formula: 'end of the body - dispatch',
    source: guidellmStats,
    values: (record) => since(record, record.timestamps.ended),
  },
  {
    tool: llmperf,
    metric: 'TTFT',
    formula: 'first chunk of answer text - dispatch; reasoning is waited for',
    source: llmperfClient,
    values: (record) => since(record, record.timestamps.firstText),
  },
  {
    tool: llmperf,
    metric: 'Inter-token latency',
    formula: '(first token time + gaps of answer text) / tokens',
    source: llmperfClient,
    values: ({ timestamps, counts }) =>
      timestamps.firstText === null
        ? []
        : per(span(timestamps.dispatched, timestamps.lastGenerated), counts.outputTokens ?? 0),
  },
  {
    tool: llmperf,
    metric: 'E2E latency',
    formula: 'end of the body - dispatch',
    source: llmperfClient,
    values: (record) => since(record, record.timestamps.ended),
  },
]

/** Success as these tools define it: a stream with status 200 and an event, truncated or not. */
export function isSuccess({ form, status, outcome, timestamps }: RequestRecord): boolean {
  const failed = ['open', 'abandoned', 'timeout', 'connect', 'status', 'shed', 'in-band-error']
  return (
    form === 'stream' &&
    status === 200 &&
    timestamps.firstEvent !== null &&
    !failed.includes(outcome.kind)
  )
}

function since({ timestamps }: RequestRecord, moment: number | null): number[] {
  return moment === null ? [] : [moment - timestamps.dispatched]
}

function span(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : to - from
}

function per(ns: number | null, tokens: number): number[] {
  return ns === null || tokens < 1 ? [] : [ns / tokens]
}
