/** Writes schemas/*.schema.json, which only the package contains, from the types that chatgen itself reads with. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { conformanceReport } from '../contract/report/conformance.ts'
import { baselineFile } from '../harness/conformance/baseline/baseline.ts'
import { targetProfile } from '../harness/conformance/profile/schema.ts'
import { mixFile } from '../harness/load/plan/mix-schema.ts'
import { answerScript } from '../reference-server/model/script/answer-script.ts'
import { capacityReport } from '../reports/capacity/model/report.ts'
import { loadComparison } from '../reports/load/model/comparison.ts'
import { loadReport } from '../reports/load/model/report.ts'
import { requestLine } from '../reports/load/model/requests.ts'
import { planReport } from '../reports/plan/model.ts'

/**
 * The published JSON Schemas (2020-12) by file name. They describe what a reader of a file must accept
 * and what a writer may omit: fields that have a default are optional, and a report may have
 * fields that this version does not know.
 */
export function jsonSchemas(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(published).map(([name, [title, schema]]) => {
      const { $schema, ...body } = z.toJSONSchema(schema, { io: 'input' })
      // A profile may have baseUrls instead, or the command line names the target.
      if (schema === targetProfile) body.required = []
      const $id = `urn:chatgen-conformance:${name}:1`
      return [
        `${name}.schema.json`,
        `${JSON.stringify({ $schema, $id, title, ...body }, null, 2)}\n`,
      ]
    }),
  )
}

/** Traces are parsed without this schema, which is faster; a test compares both. Units: harness/load/plan/arrival-times.ts. */
const size = z.int().min(1).optional()
const traceLine = z.union([
  z.looseObject({
    at: z.number().nonnegative(),
    transaction: z.string().optional(),
    prompt: size,
    answer: size,
    session: z.union([z.string(), z.number()]).optional(),
  }),
  z.looseObject({ timestamp: z.number().nonnegative(), input_length: size, output_length: size }),
])

const published = {
  report: ['report.json of chatgen check, schema version 1', conformanceReport],
  'load-report': ['report.json of chatgen load, schema version 1', loadReport],
  'request-line': ['A line of requests.ndjson of chatgen load', requestLine],
  'capacity-report': ['report.json of chatgen capacity, schema version 1', capacityReport],
  'plan-report': ['plan.json of chatgen plan, schema version 1', planReport],
  'load-comparison': [
    'Output of chatgen compare --json for load reports, schema version 1',
    loadComparison,
  ],
  'target-profile': ['Target profile of chatgen check --target', targetProfile],
  baseline: ['Known violations of chatgen check --baseline', baselineFile],
  mix: ['Mix of transactions of chatgen load --mix', mixFile],
  'trace-line': ['A line of the trace of chatgen load --replay', traceLine],
  'answer-script': ['Answers of chatgen serve --script', answerScript],
} as const

if (import.meta.main) {
  const folder = new URL('../schemas/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of jsonSchemas()) writeFileSync(new URL(name, folder), text)
}
