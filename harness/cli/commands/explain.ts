import { catalogEntries } from '../../../reports/catalog/entries.ts'
import { explainEntry } from '../../../reports/catalog/explain.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { didYouMean } from '../../conformance/profile/document.ts'
import type { AddCommand } from '../flags.ts'
import { colorFlag } from '../flags.ts'

/** `chatgen explain ID`: details of one catalog entry. */
export const explainCommand: AddCommand = (program, io) => {
  program
    .command('explain')
    .argument('<id>', 'id of the entry, e.g. V3-IDEM-02')
    .addOption(colorFlag())
    .addHelpText(
      'after',
      '\nExamples:\n  $ chatgen explain V3-IDEM-02\n  $ chatgen explain OPEN-07',
    )
    .action((id: string, { color }: { color: boolean }) => {
      const text = explainEntry(id.toUpperCase(), { color: io.color && color, width: io.width })
      if (text === undefined) {
        const ids = catalogEntries().map((row) => row.id)
        throw new ConfigurationError([`unknown id ${id}.${didYouMean(id, ids)}`])
      }
      io.out(text.trimEnd())
    })
}
