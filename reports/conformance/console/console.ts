import { Chalk } from 'chalk'
import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport, RequirementRow } from '../../../contract/report/conformance.ts'
import { isKnownViolation } from '../../../contract/report/conformance.ts'
import { paintedOutcome } from '../../document/terminal.ts'
import { containerLog, containerText } from '../../text/container.ts'
import { doubtText, isEdited } from '../../text/digest.ts'
import { clean, printable } from '../../text/escape.ts'
import { foldFindings } from '../../text/fold.ts'
import { costText, exploredText, seconds } from '../../text/format.ts'
import { hanging, joinParts, type Lines } from '../../text/page.ts'
import { checkOutcome } from '../summary.ts'
import { networkPhrases, trafficText } from '../traffic.ts'
import {
  baselineList,
  faultList,
  idLines,
  observationList,
  type ReportPage,
  residueList,
  rowList,
  undecidedList,
  withVerdict,
} from './lists.ts'
import { knownFailure, violations, warning } from './violations.ts'

export interface ConsoleOptions {
  readonly color: boolean
  /** Columns of the terminal; commands to be pasted may be longer. */
  readonly width: number
  /** Lists passed requirements as well. */
  readonly verbose?: boolean
}

/**
 * The report of `chatgen check` for a terminal: violations with everything needed to repeat and dispute
 * them, the rest the shorter the less it asks of the reader, passed requirements only if `verbose`. The
 * outcome stands first and last, and the violations right before it, where they do not scroll away.
 * Text from a target is escaped.
 */
export function reportToConsole(
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
  { color, width, verbose = false }: ConsoleOptions,
): string {
  const page: ReportPage = { report, exchanges, width, chalk: new Chalk({ level: color ? 1 : 0 }) }
  const parts = [
    [...editedLines(page), ...outcomeLines(page), ...besideOutcome(page)],
    observationList(page),
    verbose ? rowList(page, 'Passed', withVerdict(page, 'pass')) : [],
    rowList(page, 'No scenario yet, not counted', withVerdict(page, 'unclaimed')),
    undecidedList(page, 'observed', 'Observed only'),
    undecidedList(page, 'unproven', 'Not tested'),
    undecidedList(page, 'inconclusive', 'Inconclusive'),
    undecidedList(page, 'error', 'Not judged because of an internal error'),
    residueList(page),
    faultList(page),
    ...withVerdict(page, 'warn').map((row) => warning(page, row)),
    report.requirements.filter(isKnownViolation).flatMap((row) => knownFailure(page, row)),
    baselineList(page),
    ...foldFindings(report.requirements.filter(isNew)).map((found) => violations(page, found)),
    containerLog(report.target.container, page.width),
    [...editedLines(page), ...outcomeLines(page)],
  ]
  return joinParts(parts)
}

/** Stands before the outcome, which must not be read without it. */
function editedLines(page: ReportPage): Lines {
  const text = isEdited(page.report) ? doubtText(page.report) : null
  if (text === null) return []
  const [first = '', ...rest] = hanging(page, 'EDITED  ', text)
  return [first.replace('EDITED', page.chalk.red.bold('EDITED')), ...rest]
}

function outcomeLines(page: ReportPage): Lines {
  const outcome = checkOutcome(page.report)
  const lead = `${paintedOutcome(outcome, page.chalk)}  `
  return hanging(page, lead, outcome.text, outcome.word.length + 2)
}

function besideOutcome(page: ReportPage): Lines {
  const { target, cost, durationMs, exploration, suite, seed, interrupted } = page.report
  const notApplicable = withVerdict(page, 'not-applicable')
  const traffic = trafficText(page.report)
  return [
    ...(page.report.digest?.from === 'without digest'
      ? hanging(page, 'digest: ', doubtText(page.report) ?? '')
      : []),
    ...(interrupted ? [page.chalk.yellow('interrupted: partial results')] : []),
    ...[...Map.groupBy(notApplicable, ({ message }) => message ?? '')].flatMap(([message, rows]) =>
      idLines(page, `not applicable${message && ` (${clean(message)})`}: `, rows),
    ),
    ...hanging(page, 'target: ', `${printable(target.baseUrl)}, profile ${target.profile}`),
    ...(target.container === undefined
      ? []
      : hanging(page, 'container: ', containerText(target.container))),
    ...networkPhrases(target).flatMap((phrase) => hanging(page, 'network: ', phrase)),
    ...hanging(page, 'requests sent: ', `${costText(cost)} in ${seconds(durationMs)}`),
    ...(exploration === undefined ? [] : hanging(page, 'explored: ', exploredText(exploration))),
    ...(traffic === null ? [] : hanging(page, 'errors and retries: ', traffic)),
    ...hanging(
      page,
      'chatgen: ',
      `${suite.version}, interface ${suite.interface}, seed ${printable(seed)}`,
    ),
  ]
}

function isNew({ verdict, known }: RequirementRow): boolean {
  return verdict === 'fail' && !known
}
