import { catalogueRows, explainRow } from '../../../reports/catalogue/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { didYouMean } from '../../conformance/profile/suggest.ts'
import type { AddCommand } from '../command.ts'
import { flag } from '../flags.ts'

/** `chatgen explain ID`: all about one row. */
export const explainCommand: AddCommand = (program, io) => {
  program
    .command('explain')
    .description('say all about a row of the catalogue')
    .argument('<id>', 'for example V3-IDEM-02')
    .addOption(flag('--no-color', 'no colours'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ chatgen explain V3-IDEM-02\n  $ chatgen explain OPEN-07',
    )
    .action((id: string, { color }: { color: boolean }) => {
      const text = explainRow(id.toUpperCase(), { color: io.color && color, width: io.width })
      if (text === undefined) {
        const ids = catalogueRows().map((row) => row.id)
        throw new ConfigurationError([`there is no row ${id}.${didYouMean(id, ids)}`])
      }
      io.out(text.trimEnd())
    })
}
