/** `chatgen bench`: throughput and latency of the streaming core in a closed loop (autocannon). */
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { urlOf } from '../../../contract/index.ts'
import { messageOf } from '../../../contract/text.ts'
import { type ChildServer, childServer } from '../child-server.ts'
import type { KnownAnswer } from './bare-server.ts'
import { type BenchCase, NoAnswerError, withChats } from './cases.ts'
import {
  type BenchOptions,
  type BenchRequests,
  maxClientUtilization,
  measure,
  nextRequest,
} from './measure.ts'

/**
 * Runs one case after the other; an interruption ends it with the results so far.
 *
 * @throws the error of the connection if the target never answered
 */
export async function runBench(options: BenchOptions) {
  const startedAt = new Date().toISOString()
  const rows: BenchRow[] = []
  const notMeasured: { case: string; status: number; why: string }[] = []
  for (const benchCase of options.cases) {
    if (options.signal.aborted) break
    try {
      rows.push(await benchOne(benchCase, options))
    } catch (error) {
      if (options.signal.aborted) break
      const missing = { case: benchCase.name, status: 0, why: messageOf(error) }
      if (error instanceof NoAnswerError && error.status > 0) {
        notMeasured.push({ ...missing, status: error.status })
      } else if (rows.length > 0 && isOfConnection(error)) {
        // The target answered earlier cases, whose figures are kept.
        notMeasured.push({ ...missing, why: `the target no longer answers: ${missing.why}` })
      } else throw error
    }
  }
  return {
    ...({ kind: 'bench-report', schemaVersion: 1 } as const),
    target: { baseUrl: options.target.baseUrl },
    startedAt,
    connections: options.connections,
    seconds: options.seconds,
    maxTokens: options.prompt.maxTokens,
    rows,
    /** Cases that the target refused, or whose answer it cut. */
    notMeasured,
    /** Cases in which the client was the bottleneck, against the target or the bare server. */
    clientBound: rows.filter(isClientBound).map((row) => row.case),
    interrupted: options.signal.aborted,
  }
}

export type BenchReport = Awaited<ReturnType<typeof runBench>>
export type BenchRow = Awaited<ReturnType<typeof benchOne>>

/** True for errors of a socket, of the resolver or of undici. */
export function isOfConnection(error: unknown): error is Error & { readonly code: string } {
  if (!(error instanceof Error) || !('code' in error)) return false
  return typeof error.code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(error.code)
}

function isClientBound({ target, baseline }: BenchRow): boolean {
  return Math.max(target.clientBusy, baseline?.clientBusy ?? 0) > maxClientUtilization
}

const warmUpSeconds = 1

/** Margin of chats: a server is faster after the warm-up. */
const chatMargin = 2

async function benchOne(benchCase: BenchCase, options: BenchOptions) {
  const { connections, seconds, turns, signal, onProgress = () => {} } = options
  const { name } = benchCase
  const requests = requestsOf(benchCase, options)
  const send = async <Result>(
    chats: { readonly chats: number; readonly turns: number },
    use: (requests: BenchRequests) => Promise<Result>,
  ) =>
    benchCase.stored
      ? withChats(options.target, { ...chats, connections }, signal, (chat) =>
          use({ ...requests, chat }),
        )
      : { result: await use(requests), used: null }

  onProgress(`${name}: warming up`)
  const oneEach = { chats: connections, turns: Number.POSITIVE_INFINITY }
  const { result: answer } = await send(oneEach, (own) => seenAnswer(benchCase, own, options))
  const { result: warm } = await send(oneEach, (own) =>
    measure(benchCase, own, options, warmUpSeconds),
  )

  onProgress(`${name}: ${seconds} s with ${connections} connections`)
  const turnsExpected = warm.answersPerSecond * seconds * chatMargin
  const enough = { chats: connections + Math.ceil(turnsExpected / turns), turns }
  const { result: target, used } = await send(enough, (own) => measure(benchCase, own, options))

  if (!options.baseline || signal.aborted) {
    return { case: name, target, chats: used, baseline: null, ratio: null }
  }
  onProgress(`${name}: ${seconds} s against a bare server`)
  const bare = await bareServer(answer)
  const chat = benchCase.stored ? () => '00000000-0000-4000-8000-000000000000' : null
  const own = { ...requests, url: bare.url, chat }
  try {
    await measure(benchCase, own, options, warmUpSeconds)
    const baseline = await measure(benchCase, own, options)
    /** Answers per second of the target relative to those of the bare server. */
    const ratio =
      baseline.answersPerSecond === 0 ? null : target.answersPerSecond / baseline.answersPerSecond
    return { case: name, target, chats: used, baseline, ratio }
  } finally {
    await bare.stop()
  }
}

function requestsOf({ surface, path, body }: BenchCase, options: BenchOptions): BenchRequests {
  const { target, prompt } = options
  const key = target.tokens[surface]
  return {
    url: urlOf(target, path),
    headers: {
      ...target.headers,
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    body: body(target.model, prompt),
    chat: null,
  }
}

/** @throws NoAnswerError if the target refuses the request or cuts the answer */
async function seenAnswer(
  benchCase: BenchCase,
  requests: BenchRequests,
  { timeoutSeconds, signal }: BenchOptions,
): Promise<KnownAnswer> {
  const { statusCode, headers, body } = await request(requests.url, {
    method: 'POST',
    ...nextRequest(requests, 0),
    bodyTimeout: timeoutSeconds * 1000,
    // Leaves no connection behind.
    reset: true,
    signal,
  })
  const bytes = Buffer.from(await body.arrayBuffer())
  const text = bytes.toString()
  if (statusCode >= 300 || !benchCase.whole.test(text)) {
    throw new NoAnswerError(
      `POST ${benchCase.path} returned no complete response (status ${statusCode}): ${text.slice(0, 200)}`,
      statusCode,
    )
  }
  const pieces = benchCase.stream ? text.split(/(?<=\n\n)/) : [text]
  return {
    status: statusCode,
    contentType: String(headers['content-type']),
    stream: benchCase.stream,
    pieces: pieces.map((piece) => Buffer.from(piece).toString('base64')),
  }
}

export function bareServer(answer: KnownAnswer): Promise<ChildServer> {
  const extension = import.meta.url.endsWith('.js') ? 'js' : 'ts'
  const file = fileURLToPath(new URL(`./bare-server.${extension}`, import.meta.url))
  return childServer([file], { line: JSON.stringify(answer) })
}
