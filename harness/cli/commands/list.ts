import { catalogEntries } from '../../../reports/catalog/entries.ts'
import { catalogToText } from '../../../reports/catalog/explain.ts'
import { profileNames, selectRequirements } from '../../conformance/profile/selection.ts'
import { colorFlag, defineCommand, flag, list } from '../flags.ts'

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
export const listCommand = defineCommand({
  flags: listFlags,
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
