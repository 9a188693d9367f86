import { InvalidArgumentError } from 'commander'
import { matchesGlob } from '../../../contract/text.ts'
import { ConfigurationError, TargetUnusableError } from '../../conformance/errors.ts'
import type { BenchReport } from '../../load/bench/bench.ts'
import type { BenchOptions } from '../../load/bench/measure.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { defineCommand, type FlagsOf, flagTable } from '../flags.ts'
import { loadTargetOf } from '../load/target.ts'
import { bundledServer, noteFirstEndpoint, withTarget } from '../target/target.ts'
import { accessFlags, targetFlag } from '../target/target-flags.ts'
import { fitted, type Io } from '../terminal/io.ts'
import { showSteps } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'
import { positiveInteger } from '../values.ts'

function benchFlags() {
  return [
    ...targetFlag(),
    ...accessFlags(),
    ...flagTable(
      `
      --only <glob>:list?all @bench  cases by name, e.g. "generate stream"; repeatable
      --connections <n>:connectionCount=10 @bench  concurrent connections, at most 1000
      --duration <time>=5s @bench  duration of each case, 1s to 5m
      --max-tokens <n>=64  maximum tokens of a response
      --turns <n>=8  turns before a connection starts a new chat
      --timeout <ms>=60000 @bench  response timeout
      --baseline @bench  compare with a minimal node:http server
      --json  print JSON
      --quiet  no progress`,
      { connectionCount, time: wholeSeconds },
    ),
  ]
}

type BenchFlags = FlagsOf<typeof benchFlags>

const more = `
Runs six cases one after the other: a chat completion, a v3 generation and a v3 one-shot, each streamed
and as JSON. The loop is closed: each connection sends its next request when the previous response has ended. This
measures maximum throughput; use chatgen load to measure latency at a given rate.

Requests cost more as a v3 chat grows. A connection therefore starts a new chat after --turns turns,
and connections start at different turns: on average a chat holds (turns - 1) / 2 earlier turns. Chats
are created before the run and deleted after it.

With --baseline each case also runs against a minimal node:http server in a separate process that
writes the bytes of a response of the target: the ratio is comparable between machines.

Without a URL the bundled server is measured, in a separate process.

Exit codes: 0 done, 1 a response failed or was truncated, 2 usage, 3 target unreachable or API key
rejected, 5 no response completed within a case, 6 the client was the bottleneck, 130 interrupted.

Examples:
  $ chatgen bench
  $ chatgen bench --baseline --only '*stream'
  $ chatgen bench http://127.0.0.1:4010 --connections 50 --duration 10s
  $ chatgen bench --target target.yaml --only compatible* --json > bench.json`

/** `chatgen bench`: maximum throughput of the streaming core. */
export const benchCommand = defineCommand({
  args: { '[url]': 'base URL (default: the bundled server)' },
  flags: benchFlags,
  help: more,
  async run({ flags, io }, url: string | undefined) {
    const { benchToText } = await import('../load/output/bench-text.ts')
    const report = await bench(url, flags, io)
    io.out(flags.json ? JSON.stringify(report, null, 2) : fitted(benchToText(report, io.width), io))
    return exitCodeOfBench(report)
  },
})

async function bench(url: string | undefined, flags: BenchFlags, io: Io): Promise<BenchReport> {
  if (url !== undefined || flags.target !== undefined) {
    await casesOf(flags)
    return withTarget(url, flags, io, async (profile) => {
      noteFirstEndpoint(profile, io)
      const { preflight } = await import('../../conformance/preflight/preflight.ts')
      const target = loadTargetOf(profile, 'bench')
      const setup = { profile, tag: target.tag, userAgent: target.userAgent }
      await preflight(setup, ['openai', 'v3'], { signal: io.signal })
      return run(flags, io, { target, prompt: { text: prompt, maxTokens: flags.maxTokens } })
    })
  }
  const { plainTarget } = await import('../../load/target.ts')
  const server = await bundledServer()
  try {
    return await run(flags, io, {
      target: plainTarget(server.url, server.key),
      prompt: { text: `${prompt} [[tokens=${flags.maxTokens}]]`, maxTokens: flags.maxTokens },
    })
  } finally {
    await server.stop()
  }
}

const prompt = 'Describe a harbor at dawn, at some length.'

/** @throws ConfigurationError if --only matches no case */
async function casesOf({ only }: BenchFlags) {
  const { benchCases } = await import('../../load/bench/cases.ts')
  const cases = benchCases.filter(
    ({ name }) => only.length === 0 || only.some((glob) => matchesGlob(name, glob)),
  )
  if (cases.length > 0) return cases
  const names = benchCases.map(({ name }) => name).join(', ')
  throw new ConfigurationError([`--only matches no case; cases: ${names}`])
}

async function run(
  flags: BenchFlags,
  io: Io,
  what: Pick<BenchOptions, 'target' | 'prompt'>,
): Promise<BenchReport> {
  const { baseUrl } = what.target
  const { isOfConnection, runBench } = await import('../../load/bench/bench.ts')
  const cases = await casesOf(flags)
  const progress = showSteps(io, {
    name: 'bench',
    enabled: !flags.quiet,
    everyStep: true,
    // Each run of a case has one second of warm-up.
    expectedMs: 1000 * cases.length * (flags.duration + 1) * (flags.baseline ? 2 : 1),
  })
  const measured = during(progress, () =>
    runBench({
      ...what,
      cases,
      connections: flags.connections,
      seconds: flags.duration,
      timeoutSeconds: Math.ceil(flags.timeout / 1000),
      turns: flags.turns,
      baseline: flags.baseline === true,
      signal: io.signal,
      onProgress: progress.step,
    }),
  )
  const report = await measured.catch((error: unknown) => {
    if (!isOfConnection(error)) throw error
    const reason = error.message || error.code
    throw new TargetUnusableError('E_UNREACHABLE', `cannot reach ${baseUrl}: ${reason}`)
  })
  const refused = report.notMeasured.filter(({ status }) => status === 401 || status === 403)
  if (refused.length === cases.length) {
    throw new TargetUnusableError('E_KEY_REFUSED', `${baseUrl} rejects the API key`)
  }
  return report
}

/** Precedence: interrupted, failed, client-bound, not measured. */
export function exitCodeOfBench(report: BenchReport): ExitCode {
  if (report.interrupted) return exitCode.interrupted
  if (report.notMeasured.length > 0) return exitCode.violated
  if (report.rows.some(({ target }) => Object.values(target.failures).some((count) => count > 0)))
    return exitCode.violated
  if (report.clientBound.length > 0) return exitCode.measurementInvalid
  return report.rows.some(({ target }) => target.answers === 0)
    ? exitCode.incomplete
    : exitCode.done
}

function connectionCount(text: string): number {
  const value = positiveInteger(text)
  if (value > 1000) throw new InvalidArgumentError('must be at most 1000')
  return value
}

function wholeSeconds(text: string): number {
  const [, number = '', unit = 's'] = /^(\d{1,4})(s|m)?$/.exec(text) ?? []
  const seconds = Number(number) * (unit === 'm' ? 60 : 1)
  if (seconds < 1 || seconds > 300) {
    throw new InvalidArgumentError('must be a duration from 1s to 5m, e.g. 10s')
  }
  return seconds
}
