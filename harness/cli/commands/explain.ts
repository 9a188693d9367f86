import { catalogEntries } from '../../../reports/catalog/entries.ts'
import { explainEntry } from '../../../reports/catalog/explain.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { didYouMean } from '../../conformance/profile/document.ts'
import { colorFlag, defineCommand } from '../flags.ts'

/** `chatgen explain ID`: details of one catalog entry. */
export const explainCommand = defineCommand({
  args: { '<id>': 'id of the entry, e.g. V3-IDEM-02' },
  flags: () => [colorFlag()],
  help: '\nExamples:\n  $ chatgen explain V3-IDEM-02\n  $ chatgen explain OPEN-07',
  run({ flags: { color }, io }, id: string) {
    const text = explainEntry(id.toUpperCase(), { color: io.color && color, width: io.width })
    if (text === undefined) {
      const ids = catalogEntries().map((row) => row.id)
      throw new ConfigurationError([`unknown id ${id}.${didYouMean(id, ids)}`])
    }
    io.out(text.trimEnd())
  },
})
