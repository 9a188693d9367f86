/** `chatgen bench`: throughput and latency of the streaming core in a closed loop (autocannon). */
import { Agent } from 'undici'
import { messageOf } from '../../../contract/error-message.ts'
import { NoAnswerError } from './baseline.ts'
import { benchOne } from './one-case.ts'
import {
  type BenchOptions,
  type BenchReport,
  type BenchRow,
  maxClientUtilization,
} from './report.ts'

/**
 * One case after the other; an interruption ends it with what was found so far.
 *
 * @throws the error of the connection where nobody answers, and nobody ever did
 */
export async function runBench(options: BenchOptions): Promise<BenchReport> {
  const startedAt = new Date().toISOString()
  const dispatcher = new Agent({ bodyTimeout: options.timeoutSeconds * 1000 })
  const rows: BenchRow[] = []
  const notMeasured: BenchReport['notMeasured'][number][] = []
  try {
    for (const benchCase of options.cases) {
      if (options.signal.aborted) break
      try {
        rows.push(await benchOne(benchCase, options, dispatcher))
      } catch (error) {
        if (options.signal.aborted) break
        const why = messageOf(error)
        if (error instanceof NoAnswerError) {
          notMeasured.push({ case: benchCase.name, status: error.status, why })
        } else if (rows.length > 0 && isOfConnection(error)) {
          // It was there, and figures of it are.
          notMeasured.push({ case: benchCase.name, status: 0, why: `no answer any more: ${why}` })
        } else throw error
      }
    }
  } finally {
    await dispatcher.destroy()
  }
  return {
    kind: 'bench-report',
    schemaVersion: 1,
    target: { baseUrl: options.baseUrl },
    startedAt,
    connections: options.connections,
    seconds: options.seconds,
    maxTokens: options.prompt.maxTokens,
    rows,
    notMeasured,
    clientBound: rows.filter(isClientBound).map((row) => row.case),
    interrupted: options.signal.aborted,
  }
}

/** The code of an error of a socket, of the resolver or of undici. */
export function isOfConnection(error: unknown): error is Error & { readonly code: string } {
  if (!(error instanceof Error) || !('code' in error)) return false
  return typeof error.code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(error.code)
}

function isClientBound({ target, baseline }: BenchRow): boolean {
  return Math.max(target.clientBusy, baseline?.clientBusy ?? 0) > maxClientUtilization
}
