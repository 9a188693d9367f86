import { messageOf } from '../../../contract/error-message.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { maxStoredBytes, readInputFile } from '../../conformance/input-file.ts'
import { TraceSyntaxError } from '../../load/plan/trace.ts'
import { DemandSyntaxError, type Price, parseDemand, parsePrice } from '../../plan/demand.ts'
import type { PlannedDemand } from '../../plan/options.ts'
import { readDemandTrace } from '../../plan/trace.ts'

/** @throws ConfigurationError that names the line of a trace which cannot be read */
export function demandOf(text: string): PlannedDemand {
  const demand = parsed('--demand', text, parseDemand)
  if (demand.kind !== 'file') return demand
  const { path } = demand
  try {
    const trace = readDemandTrace(readInputFile(path, maxStoredBytes))
    if (trace.requests > 0) return { kind: 'trace', file: path, trace }
    throw new ConfigurationError([`${path}: there are no requests in it`])
  } catch (error) {
    if (error instanceof TraceSyntaxError) {
      throw new ConfigurationError([`${path}:${error.line}: ${error.message}`])
    }
    if (error instanceof ConfigurationError) throw error
    const reason = messageOf(error)
    throw new ConfigurationError([`--demand: cannot read ${path}: ${reason}`])
  }
}

/** @throws ConfigurationError */
export function priceOf(text: string): Price {
  return parsed('--price', text, parsePrice)
}

function parsed<Value>(flag: string, text: string, parse: (text: string) => Value): Value {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof DemandSyntaxError)
      throw new ConfigurationError([`${flag}: ${error.message}`])
    throw error
  }
}
