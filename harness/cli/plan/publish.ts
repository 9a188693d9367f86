import { join } from 'node:path'
import type { PlanReport } from '../../../contract/report/plan.ts'
import { withoutWorkflowCommands } from '../check/publish.ts'
import type { Named, RenderOptions } from '../check/report-formats.ts'
import type { Io } from '../terminal/io.ts'
import type { PlanFormat } from './report-formats.ts'

interface PlanRendering {
  readonly formats: readonly Named<PlanFormat>[]
  /** Folder of formats with a file; null prints everything. */
  readonly out: string | null
  readonly style: RenderOptions
  readonly print: Io['out']
}

/** Writes each format to its file in the folder, and prints those without a file. */
export function renderPlan(
  report: PlanReport,
  { formats, out, style, print }: PlanRendering,
  { write, env }: Pick<Io, 'write' | 'env'>,
): void {
  for (const { name, file, render } of formats) {
    const text = render(report, style)
    if (file !== null && out !== null) write(join(out, file), text)
    else print(name === 'console' ? withoutWorkflowCommands(text.trimEnd(), env) : text.trimEnd())
  }
}
