import { badge } from './conformance/github.ts'
import type { Document, Outcome } from './document/document.ts'
import { faultCase, junitOf } from './document/junit.ts'
import { expositionOf } from './load/metrics/gen-ai.ts'
import { annotation, clean } from './text/escape.ts'

/** A run that ended before it had a result. */
export interface Failure {
  readonly kind: 'failure-report'
  readonly schemaVersion: 1
  /** `unusable`: the target (exit code 3); `refused`: flags, files or settings (2). */
  readonly outcome: 'unusable' | 'refused'
  readonly exitCode: number
  /** `check`, `load` or `capacity`. */
  readonly command: string
  /** Reasons, a sentence each. */
  readonly messages: readonly string[]
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly suite: { readonly version: string }
}

export function failureDocument(failure: Failure): Document {
  const { command, exitCode, messages, startedAt, suite } = failure
  return {
    kind: `chatgen ${command}`,
    target: `exit code ${exitCode}`,
    outcome: failureOutcome(failure),
    facts: [
      ['started: ', startedAt],
      ['chatgen: ', suite.version],
    ],
    sections: [{ title: 'Reason', blocks: [{ log: linesOf(messages) }] }],
  }
}

function failureOutcome({ outcome, command, exitCode }: Failure): Outcome {
  const word = outcome === 'unusable' ? 'Target unusable' : 'Refused'
  const verb = command === 'check' ? 'tested' : 'measured'
  const text = `chatgen ${command} ${verb} nothing and ended with ${exitCode}`
  return { word, tone: 'fail', text }
}

/** JUnit XML with one error. */
export function failureToJUnit({ command, outcome, messages, startedAt }: Failure): string {
  const only = faultCase(`chatgen ${command}`, messages.join('\n'), outcome)
  return junitOf([{ name: 'chatgen', cases: [only] }], {
    target: { baseUrl: '' },
    startedAt,
    properties: { outcome },
  })
}

export function failureToGitHub({ command, messages }: Failure): string {
  return `${annotation('error', `chatgen ${command}`, linesOf(messages).map(clean).join('\n'))}\n`
}

export function failureToBadge(failure: Failure): string {
  const { word } = failureOutcome(failure)
  return badge([word.toLowerCase(), `exit code ${failure.exitCode}`], 'violated')
}

/** A row for each reason (RFC 4180), which begins with the command, so that a spreadsheet finds no formula. */
export function failureToCsv({ command, exitCode, outcome, messages }: Failure): string {
  const rows = messages.map((message) => {
    const reason = `chatgen ${command}: ${clean(onOneLine(message))}`
    return `${exitCode},${outcome},"${reason.replaceAll('"', '""')}"`
  })
  return `${['exit_code,outcome,reason', ...rows].join('\n')}\n`
}

export function failureToPrometheus({ exitCode, outcome, messages }: Failure): string {
  const exit_code = String(exitCode)
  return expositionOf([
    {
      name: 'chatgen_load_failure',
      type: 'gauge',
      help: 'The run ended before it had a result; 1 for each reason.',
      samples: messages.map((message) => ({
        labels: { outcome, exit_code, reason: onOneLine(message) },
        value: 1,
      })),
    },
  ])
}

function linesOf(messages: readonly string[]): readonly string[] {
  return messages.flatMap((message) => message.split('\n'))
}

function onOneLine(message: string): string {
  return message.replaceAll(/\s+/g, ' ')
}
