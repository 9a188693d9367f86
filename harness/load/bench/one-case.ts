/** One case: a look at an answer, a second of warming up, the measurement, and the bare server. */
import type { Dispatcher } from 'undici'
import { urlOf } from '../../../contract/index.ts'
import type { KnownAnswer } from './bare-server.ts'
import { bareServer, seenAnswer } from './baseline.ts'
import type { BenchCase } from './cases.ts'
import { type ChatSource, chatSupply } from './chats.ts'
import { type BenchFigures, type BenchRun, measure } from './measure.ts'
import type { BenchOptions, BenchRow, ChatsUsed } from './report.ts'

const warmUpSeconds = 1

/** A warm server is quicker than it was a second before. */
const chatMargin = 2

export async function benchOne(
  benchCase: BenchCase,
  options: BenchOptions,
  dispatcher: Dispatcher,
): Promise<BenchRow> {
  const { connections, seconds, turns, onProgress = () => {} } = options
  const { name } = benchCase
  const run = runOf(benchCase, options)
  const chats = chatsFor(benchCase, { ...run, address: options }, dispatcher)

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
  const ratio =
    baseline.answersPerSecond === 0 ? null : target.answersPerSecond / baseline.answersPerSecond
  return { case: name, target, chats: used, baseline, ratio }
}

async function againstBareServer(
  benchCase: BenchCase,
  run: Omit<BenchRun, 'chat'>,
  answer: KnownAnswer,
): Promise<BenchFigures> {
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
  const key = options.keys[benchCase.surface]
  return {
    url: urlOf(options, benchCase.path),
    headers: {
      ...options.headers,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: benchCase.body(options.model, options.prompt),
    connections: options.connections,
    seconds: options.seconds,
    timeoutSeconds: options.timeoutSeconds,
    signal: options.signal,
  }
}

interface Chats {
  readonly chats: number
  readonly turns: number
  readonly connections: number
}

/** Makes chats where the case needs them, lends them out, and removes them. */
function chatsFor(
  benchCase: BenchCase,
  source: Omit<ChatSource, 'dispatcher'>,
  dispatcher: Dispatcher,
) {
  return async <Result>(
    chats: Chats,
    use: (chat: BenchRun['chat']) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly used: ChatsUsed | null }> => {
    if (!benchCase.stored) return { result: await use(null), used: null }
    const supply = await chatSupply({ ...source, dispatcher }, chats)
    let leftBehind = supply.made
    try {
      const result = await use(supply.next)
      const { made, exhausted } = supply
      leftBehind = await supply.remove()
      return { result, used: { turns: chats.turns, made, exhausted, leftBehind } }
    } finally {
      if (leftBehind === supply.made) await supply.remove()
    }
  }
}
