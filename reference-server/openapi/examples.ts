/** Examples of the document: answers that this server gave, kept in a file that a test compares. */
import type { Route } from '../http/call.ts'
import recorded from './examples.json' with { type: 'json' }

export interface OperationExamples {
  /** Body of a request. */
  readonly request?: unknown
  readonly answer?: unknown
  /** The first events of a stream. */
  readonly stream?: string
}

const examples: Readonly<Record<string, OperationExamples | undefined>> = recorded

export function examplesOf({ method, path }: Pick<Route, 'method' | 'path'>): OperationExamples {
  return examples[`${method} ${path}`] ?? {}
}
