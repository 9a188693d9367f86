import { printable } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import type { Journal } from '../../conformance/cleanup/journal.ts'
import type { Removal } from '../../conformance/cleanup/removal.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { endDryRun } from '../check/dry-run.ts'
import { exitCode } from '../exit-codes.ts'
import { defineCommand, flagTable } from '../flags.ts'
import { countedKinds } from '../target/discovery.ts'
import { withTarget } from '../target/target.ts'
import { prefixArguments, targetFlags } from '../target/target-flags.ts'
import { escapeWorkflowCommands, fitted, type Io } from '../terminal/io.ts'

const examples = `
Examples:
  $ chatgen cleanup chatgen-results/journal.ndjson
  $ chatgen cleanup results/journal.ndjson --target staging.yaml
  $ chatgen cleanup results/journal.ndjson https://chat.example.org --dry-run
  $ chatgen cleanup --containers

Deletes only chats that are listed in the journal and whose name contains the tag of its run. With
--containers, removes the containers, networks and volumes of --image and --compose whose run was killed
on this machine, as the next run with --image or --compose does.

Exit codes:
  0 all deleted   1 something could not be deleted   2 no such file, or not a journal
  3 target unreachable, not this service, or API key rejected   130 interrupted`

/** `chatgen cleanup JOURNAL`: deletes the leftovers of a run that was killed. */
export const cleanupCommand = defineCommand({
  args: {
    '[journal]': 'journal.ndjson in the results folder of the run',
    '[url]': 'base URL of the deployment (default: that of the journal)',
  },
  flags: () => [
    ...flagTable(`
      --dry-run  print what would be deleted, without sending anything
      --containers  remove containers, networks and volumes of killed runs
      --json  print the chats of the journal and what became of them as JSON`),
    ...targetFlags(),
  ],
  help: examples,
  async run({ flags, io, command }, file: string | undefined, url: string | undefined) {
    if (file !== undefined && flags.containers) {
      throw new ConfigurationError(['pass a journal or --containers, not both'])
    }
    if (flags.containers) {
      await removeContainers(io, flags.dryRun === true)
      return flags.dryRun ? endDryRun(command, io) : exitCode.done
    }
    if (file === undefined) {
      throw new ConfigurationError(['pass the journal.ndjson of a run, or --containers'])
    }
    const { cleanUp } = await import('../../conformance/cleanup/cleanup.ts')
    const { readJournal } = await import('../../conformance/cleanup/journal.ts')
    const journal = readJournal(file)
    const print = (text: string) => {
      if (!flags.json) io.out(escapeWorkflowCommands(fitted(text, io), io.env))
    }
    const printJson = (chats: readonly object[]) => {
      const { tag, baseUrl } = journal.head
      const found = { run: tag, baseUrl, chats, others: journal.others }
      if (flags.json) io.out(JSON.stringify(found, null, 2))
    }
    print(headline(file, journal))
    if (flags.dryRun || journal.chats.length === 0) {
      for (const { id, name } of journal.chats) {
        print(printable(`would delete  ${id ?? 'by name'}  ${name}`))
      }
      printOthers(journal, print)
      printJson(journal.chats)
      return flags.dryRun ? endDryRun(command, io) : exitCode.done
    }
    const { head } = journal
    const from = url ?? (flags.target === undefined ? head.baseUrl : undefined)
    const prefix =
      from === head.baseUrl && flags.prefix === undefined ? prefixArguments(head.prefixes) : {}
    const removals = await withTarget(from, { ...flags, ...prefix }, io, (profile) => {
      if (profile.baseUrl !== head.baseUrl) print(`target: ${printable(profile.baseUrl)}`)
      return cleanUp({
        journalFile: file,
        profile,
        signal: io.signal,
        onRemoval: (removal) => print(removalLine(removal)),
        onUnusableEndpoint: ({ message }) => io.err(`chatgen: ${message}`),
      })
    })
    printOthers(journal, print)
    const left = removals.filter(({ outcome }) => outcome === 'left' || outcome === 'unanswered')
    const summary = `${count(removals.length - left.length, 'chat')} deleted or already gone`
    print(left.length === 0 ? summary : `${summary}, ${left.length} left`)
    printJson(removals.map(({ entry, outcome, why }) => ({ ...entry, outcome, why })))
    return left.length > 0 ? exitCode.violated : exitCode.done
  },
})

async function removeContainers(io: Io, isDryRun: boolean): Promise<void> {
  const { leftoversOf, openEngine, removeRun } = await import('../../containers/engine.ts')
  const { api } = await openEngine()
  const { ended, elsewhere } = await leftoversOf(api)
  for (const run of ended) {
    if (!isDryRun) await removeRun(api, run)
    io.out(`${isDryRun ? 'would remove' : 'removed'}  containers, networks and volumes of ${run}`)
  }
  for (const run of elsewhere) {
    io.out(`kept  ${run}: a run from another machine, which may still be running`)
  }
  if (ended.length === 0 && elsewhere.length === 0) io.out('no containers of killed runs')
}

function headline(file: string, { head, cutLines, chats }: Journal): string {
  const { tag, kit, baseUrl } = head
  const cut = cutLines === 0 ? '' : `, ${count(cutLines, 'truncated line')}`
  const open =
    chats.length === 0 ? 'no chats to delete' : `${count(chats.length, 'chat')} to delete`
  return `${file}: run ${printable(tag)} against ${printable(baseUrl)} (chatgen ${printable(kit)}): ${open}${cut}`
}

function removalLine({ entry, outcome, why }: Removal): string {
  const word = outcome === 'unanswered' ? 'left' : outcome
  return printable(`${word.padEnd(8)} ${entry.id ?? 'by name'}  ${entry.name}: ${why}`)
}

function printOthers({ others }: Journal, print: (text: string) => void): void {
  if (others.length === 0) return
  print(`not deleted: ${countedKinds(others)} (the interface has no route to delete them)`)
}
