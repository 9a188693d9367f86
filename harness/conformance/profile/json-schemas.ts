import { z } from 'zod'
import { answerScript } from '../../../contract/answer-script.ts'
import { capacityReport } from '../../../contract/report/capacity.ts'
import { conformanceReport } from '../../../contract/report/conformance.ts'
import { loadReport } from '../../../contract/report/load.ts'
import { loadComparison } from '../../../contract/report/load-comparison.ts'
import { planReport } from '../../../contract/report/plan.ts'
import { baselineFile } from '../baseline/file.ts'
import { targetProfile } from './schema.ts'

/**
 * The published JSON Schemas (2020-12) by file name. They describe what a reader of a file may meet
 * and what a writer may leave out: members that have a default are optional, and a report may have
 * members that this version does not know.
 */
export function jsonSchemas(): ReadonlyMap<string, string> {
  return new Map(
    published.map(({ name, title, schema }) => {
      const { $schema, ...body } = z.toJSONSchema(schema, { io: 'input' })
      // A profile has baseUrls in its place, or the command line names the target.
      if (schema === targetProfile) body.required = []
      const $id = `urn:chatgen-conformance:${name}:1`
      return [
        `${name}.schema.json`,
        `${JSON.stringify({ $schema, $id, title, ...body }, null, 2)}\n`,
      ]
    }),
  )
}

const published = [
  {
    name: 'report',
    title: 'report.json of chatgen check, schema version 1',
    schema: conformanceReport,
  },
  {
    name: 'load-report',
    title: 'report.json of chatgen load, schema version 1',
    schema: loadReport,
  },
  {
    name: 'capacity-report',
    title: 'report.json of chatgen capacity, schema version 1',
    schema: capacityReport,
  },
  {
    name: 'plan-report',
    title: 'plan.json of chatgen plan, schema version 1',
    schema: planReport,
  },
  {
    name: 'load-comparison',
    title: 'Output of chatgen compare --json for load reports, schema version 1',
    schema: loadComparison,
  },
  {
    name: 'target-profile',
    title: 'Target profile of chatgen check --target',
    schema: targetProfile,
  },
  {
    name: 'baseline',
    title: 'Known violations of chatgen check --baseline',
    schema: baselineFile,
  },
  {
    name: 'answer-script',
    title: 'Answers of chatgen serve --script',
    schema: answerScript,
  },
] as const
