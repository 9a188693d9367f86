/** `chatgen bench`: throughput and latency of the streaming core in a closed loop (autocannon). */

import { fileURLToPath } from 'node:url'
import { Agent, type Dispatcher, request } from 'undici'
import { urlOf } from '../../../contract/index.ts'
import { messageOf } from '../../../contract/text.ts'
import { type ChildServer, childServer } from '../child-server.ts'
import type { KnownAnswer } from './bare-server.ts'
import { type BenchCase, NoAnswerError, withChats } from './cases.ts'
import {
  type BenchOptions,
  type BenchRequest,
  type BenchRun,
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
  const dispatcher = new Agent({ bodyTimeout: options.timeoutSeconds * 1000 })
  const rows: BenchRow[] = []
  const notMeasured: { case: string; status: number; why: string }[] = []
  try {
    for (const benchCase of options.cases) {
      if (options.signal.aborted) break
      try {
        rows.push(await benchOne(benchCase, options, dispatcher))
      } catch (error) {
        if (options.signal.aborted) break
        const why = messageOf(error)
        if (error instanceof NoAnswerError && error.status > 0) {
          notMeasured.push({ case: benchCase.name, status: error.status, why })
        } else if (rows.length > 0 && isOfConnection(error)) {
          // The target answered earlier cases, whose figures are kept.
          notMeasured.push({ case: benchCase.name, status: 0, why: `no answer any more: ${why}` })
        } else throw error
      }
    }
  } finally {
    await dispatcher.destroy()
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

async function benchOne(benchCase: BenchCase, options: BenchOptions, dispatcher: Dispatcher) {
  const { connections, seconds, turns, onProgress = () => {} } = options
  const { name } = benchCase
  const run = runOf(benchCase, options)
  const chats = async <Result>(
    number: Parameters<typeof withChats>[1],
    use: (chat: BenchRun['chat']) => Promise<Result>,
  ) =>
    benchCase.stored
      ? withChats(options.target, number, options.signal, use)
      : { result: await use(null), used: null }

  onProgress(`${name}: warming up`)
  const oneEach = { chats: connections, turns: Number.POSITIVE_INFINITY, connections }
  const { result: answer } = await chats(oneEach, (chat) =>
    seenAnswer(benchCase, { ...run, chat }, dispatcher),
  )
  const { result: warm } = await chats(oneEach, (chat) =>
    measure(benchCase, { ...run, chat, seconds: warmUpSeconds }),
  )

  onProgress(`${name}: ${seconds} s with ${connections} connections`)
  const turnsExpected = warm.answersPerSecond * seconds * chatMargin
  const enough = { chats: connections + Math.ceil(turnsExpected / turns), turns, connections }
  const { result: target, used } = await chats(enough, (chat) =>
    measure(benchCase, { ...run, chat }),
  )

  if (!options.baseline || options.signal.aborted) {
    return { case: name, target, chats: used, baseline: null, ratio: null }
  }
  onProgress(`${name}: ${seconds} s against a bare server`)
  const baseline = await againstBareServer(benchCase, run, answer)
  /** Answers per second of the target relative to those of the bare server. */
  const ratio =
    baseline.answersPerSecond === 0 ? null : target.answersPerSecond / baseline.answersPerSecond
  return { case: name, target, chats: used, baseline, ratio }
}

async function againstBareServer(
  benchCase: BenchCase,
  run: Omit<BenchRun, 'chat'>,
  answer: KnownAnswer,
) {
  const bare = await bareServer(answer)
  const chat = benchCase.stored ? () => '00000000-0000-4000-8000-000000000000' : null
  const bareRun = { ...run, url: bare.url, chat }
  try {
    await measure(benchCase, { ...bareRun, seconds: warmUpSeconds })
    return await measure(benchCase, bareRun)
  } finally {
    await bare.stop()
  }
}

function runOf(benchCase: BenchCase, options: BenchOptions): Omit<BenchRun, 'chat'> {
  const { target } = options
  const key = target.tokens[benchCase.surface]
  return {
    url: urlOf(target, benchCase.path),
    headers: {
      ...target.headers,
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    body: benchCase.body(target.model, options.prompt),
    connections: options.connections,
    seconds: options.seconds,
    timeoutSeconds: options.timeoutSeconds,
    signal: options.signal,
  }
}

/** @throws NoAnswerError if the target refuses the request or cuts the answer */
async function seenAnswer(
  benchCase: BenchCase,
  options: BenchRequest & { readonly signal: AbortSignal },
  dispatcher: Dispatcher,
): Promise<KnownAnswer> {
  const { statusCode, headers, body } = await request(options.url, {
    method: 'POST',
    ...nextRequest(options, 0),
    dispatcher,
    signal: options.signal,
  })
  const bytes = Buffer.from(await body.arrayBuffer())
  const text = bytes.toString()
  if (statusCode >= 300 || !benchCase.whole.test(text)) {
    throw new NoAnswerError(
      `POST ${benchCase.path} gave no whole answer (status ${statusCode}): ${text.slice(0, 200)}`,
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
