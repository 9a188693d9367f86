import { join } from 'node:path'
import { doubtText, withDoubt } from '../../../reports/text/digest.ts'
import { exchangesName } from '../../conformance/defaults.ts'
import { openBaseline } from '../check/baseline.ts'
import { checkFormats, checkKind, defaultsText, publish } from '../check/publish.ts'
import { exitCode, exitCodeOf } from '../exit-codes.ts'
import { defineCommand, flag, outputFlags } from '../flags.ts'
import { makeOutFolder } from '../results/folder-lock.ts'
import { formatsIn } from '../results/formats.ts'
import { takeResultsFolder } from '../results/results-folder.ts'
import { evidenceDoubtIn, lostText, readRecording } from '../results/stored-report.ts'
import { showProgress } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'

function rejudgeFlags() {
  return [
    flag('--out <dir>', 'folder of the new results (default: DIR/rejudged)', 'rejudge'),
    flag('--baseline <file>', 'known violations, YAML or JSON'),
    ...outputFlags(checkKind, 'list everything, with all evidence', defaultsText),
  ]
}

const examples = `
Examples:
  $ chatgen rejudge chatgen-results
  $ chatgen rejudge last-month --out last-month-today --report console,html

Runs the scenarios of this version over the stored exchanges; nothing is sent. Requirements that need
a request which is not in the recording are inconclusive.

Exit codes:
  those of chatgen check; also 2 if the folder lacks run.json or
  exchanges.ndjson, or if one of them was edited after the run`

/** `chatgen rejudge DIR`: judges stored exchanges with this version of chatgen. */
export const rejudgeCommand = defineCommand({
  args: { '<dir>': 'results folder, with run.json and exchanges.ndjson' },
  flags: rejudgeFlags,
  help: examples,
  async run({ flags, io }, dir: string) {
    const { quiet = false, out = join(dir, 'rejudged') } = flags
    const formats = formatsIn(checkKind, flags.report ?? checkFormats)
    const baseline = openBaseline(flags, io)
    const { recordedIn, rejudge } = await import('../../conformance/recording/rejudge.ts')
    const { inlineEngine } = await import('../../conformance/run.ts')
    const { explorationOf } = await import('../../explore/run.ts')
    recordedIn(dir, out)
    const lost = lostText({ dir, ...readRecording(join(dir, exchangesName)) })
    if (lost !== null) io.err(lost)
    const doubt = evidenceDoubtIn(dir)
    if (doubt !== null) io.err(`chatgen: ${dir}: ${doubtText(withDoubt({}, doubt))}`)
    makeOutFolder(out)
    takeResultsFolder(out, { kind: 'conformance-report', formats }, io)
    const progress = showProgress(io, !quiet)
    const { signal } = io
    const engine = inlineEngine()
    const onProgress = progress.update
    const found = await during(progress, () =>
      rejudge({ dir, outDir: out, explorationOf, signal, engine, onProgress }).finally(() =>
        engine.close(),
      ),
    )
    const report = withDoubt(baseline.judge(found), doubt)
    publish(report, { ...flags, out }, io)
    return doubt !== null ? exitCode.usage : exitCodeOf(report)
  },
})
