import { printable } from '../../text/escape.ts'
import { clean, hanging, type Lines, type Page } from '../../text/page.ts'

/** Entries of the baseline that are not true of the run; the run ends with 1 for each of them. */
export function baselineList(page: Page): Lines {
  const { baseline } = page.report
  if (baseline === undefined || baseline.problems.length === 0) return []
  const title = `Not true any more in ${printable(baseline.file)} (${baseline.problems.length})`
  return [
    page.chalk.red.bold(title),
    ...baseline.problems.flatMap(({ message }) => hanging(page, '  ', clean(message))),
  ]
}
