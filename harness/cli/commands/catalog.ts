import { catalogEntries } from '../../../reports/catalog/entries.ts'
import { catalogToText, explainEntry } from '../../../reports/catalog/explain.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { didYouMean } from '../../conformance/profile/document.ts'
import { profileNames, selectRequirements } from '../../conformance/profile/selection.ts'
import { colorFlag, defineCommand, flagTable } from '../flags.ts'

/** `chatgen list`: the catalog, one entry per line. */
export const listCommand = defineCommand({
  flags: () => [
    ...flagTable(
      `
      --only <glob>:list?all  requirement ids, areas or titles; repeatable
      --profile <name>=full  surfaces to list
      --json  print JSON`,
      { name: profileNames },
    ),
    ...colorFlag(),
  ],
  help: "\nExamples:\n  $ chatgen list\n  $ chatgen list --only 'V3-IDEM-*'\n  $ chatgen list --profile openai --json",
  run({ flags: { only, profile, json, color }, io }) {
    const all = only.length === 0 && profile === 'full'
    const selected: readonly string[] = all ? [] : selectRequirements({ profile, only, skip: [] })
    const rows = catalogEntries().filter(({ id }) => all || selected.includes(id))
    io.out(
      json
        ? JSON.stringify(rows, null, 2)
        : catalogToText(rows, { color: io.color && color }).trimEnd(),
    )
  },
})

/** `chatgen explain ID`: details of one catalog entry. */
export const explainCommand = defineCommand({
  args: { '<id>': 'id of the entry, e.g. V3-IDEM-02' },
  flags: () => [...flagTable('--json  print the entry of chatgen list --json'), ...colorFlag()],
  help: '\nExamples:\n  $ chatgen explain V3-IDEM-02\n  $ chatgen explain OPEN-07',
  run({ flags: { json, color }, io }, given: string) {
    const id = given.toUpperCase()
    const entries = catalogEntries()
    const text = explainEntry(id, { color: io.color && color, width: io.width })
    if (text === undefined) {
      const ids = entries.map((row) => row.id)
      throw new ConfigurationError([`unknown id ${given}.${didYouMean(given, ids)}`])
    }
    const entry = entries.find((row) => row.id === id)
    io.out(json ? JSON.stringify(entry, null, 2) : text.trimEnd())
  },
})
