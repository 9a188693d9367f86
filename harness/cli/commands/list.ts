import { catalogEntries } from '../../../reports/catalog/entries.ts'
import { catalogToText } from '../../../reports/catalog/explain.ts'
import { profileNames, selectRequirements } from '../../conformance/profile/selection.ts'
import type { AddCommand } from '../flags.ts'
import { addFlags, colorFlag, type FlagsOf, flag, list } from '../flags.ts'

function listFlags() {
  return [
    flag('--only <glob>', 'requirement ids, areas or titles; repeatable')
      .argParser(list)
      .default([], 'all'),
    flag('--profile <name>', 'surfaces to list').choices(profileNames).default('full'),
    flag('--json', 'print JSON'),
    colorFlag(),
  ]
}

/** `chatgen list`: the catalog, one entry per line. */
export const listCommand: AddCommand = (program, io) => {
  addFlags(program.command('list'), ...listFlags())
    .addHelpText(
      'after',
      "\nExamples:\n  $ chatgen list\n  $ chatgen list --only 'V3-IDEM-*'\n  $ chatgen list --profile openai --json",
    )
    .action(({ only, profile, json, color }: FlagsOf<typeof listFlags>) => {
      const all = only.length === 0 && profile === 'full'
      const selected: readonly string[] = all ? [] : selectRequirements({ profile, only, skip: [] })
      const rows = catalogEntries().filter(({ id }) => all || selected.includes(id))
      io.out(
        json
          ? JSON.stringify(rows, null, 2)
          : catalogToText(rows, { color: io.color && color }).trimEnd(),
      )
    })
}
