import { printable } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import type { OpenJournal } from '../../conformance/cleanup/cleanup.ts'
import type { Removal } from '../../conformance/cleanup/removal.ts'
import type { AddCommand } from '../command.ts'
import { exitCode } from '../exit-codes.ts'
import { flag, keyEnvFlag, positiveInteger } from '../flags.ts'
import { addNetworkFlags } from '../target/network-flags.ts'
import { type TargetFlags, withTarget } from '../target/target.ts'
import { fitted } from '../terminal/fitted.ts'
import type { Io } from '../terminal/io.ts'

interface CleanupFlags extends TargetFlags {
  readonly dryRun?: boolean
}

const examples = `
Examples:
  $ chatgen cleanup chatgen-results/journal.ndjson
  $ chatgen cleanup results/journal.ndjson --target staging.yaml
  $ chatgen cleanup results/journal.ndjson https://chat.example.org --dry-run

Only chats that the journal names, and that carry the tag of its run in their names, are touched.

Exit codes:
  0 all gone   1 something could not be deleted   2 no such file, or no journal
  3 target unreachable, no such service, or it refuses the key   130 interrupted`

/** `chatgen cleanup JOURNAL`: deletes what a run that was killed has left behind. */
export const cleanupCommand: AddCommand = (program, io, finish) => {
  const command = program
    .command('cleanup')
    .description('delete the chats that a killed run has left behind')
    .argument('<journal>', 'journal.ndjson in the folder for results of the run')
    .argument('[url]', 'base address of the deployment, where it is not the one of the journal')
    .addOption(flag('--target <file>', 'target profile, YAML or JSON'))
    .addOption(keyEnvFlag())
    .addOption(flag('--timeout <ms>', 'longest silence of the target').argParser(positiveInteger))
    .addOption(flag('--dry-run', 'say what would be deleted, and send nothing'))
    .addHelpText('after', examples)
  addNetworkFlags(command).action(
    async (file: string, url: string | undefined, flags: CleanupFlags) => {
      const { cleanUp, openJournal } = await import('../../conformance/cleanup/cleanup.ts')
      const open = openJournal(file)
      io.out(fitted(headline(file, open), io))
      if (flags.dryRun || open.chats.length === 0) {
        for (const { id, name } of open.chats)
          io.out(fitted(printable(`would delete  ${id ?? 'by name'}  ${name}`), io))
        printOthers(open, io)
        return
      }
      const from = url ?? (flags.target === undefined ? open.journal.head.baseUrl : undefined)
      const removals = await withTarget(from, flags, io, async (profile) => {
        if (profile.baseUrl !== open.journal.head.baseUrl)
          io.out(fitted(`asking ${printable(profile.baseUrl)}`, io))
        const onRemoval = (removal: Removal) => io.out(fitted(removalLine(removal), io))
        return cleanUp({ journalFile: file, profile, signal: io.signal, onRemoval })
      })
      printOthers(open, io)
      const left = removals.filter(({ outcome }) => outcome === 'left' || outcome === 'unanswered')
      io.out(summary(removals.length - left.length, left.length))
      finish(left.length > 0 ? exitCode.violated : exitCode.done)
    },
  )
}

function headline(file: string, { journal, chats }: OpenJournal): string {
  const { tag, kit, baseUrl } = journal.head
  const cut = journal.cutLines === 0 ? '' : `, ${count(journal.cutLines, 'line')} cut by the crash`
  const open = chats.length === 0 ? 'no chat is open' : `${count(chats.length, 'chat')} open`
  return `${file}: run ${printable(tag)} at ${printable(baseUrl)}, kit ${printable(kit)}: ${open}${cut}`
}

function removalLine({ entry, outcome, why }: Removal): string {
  const word = outcome === 'unanswered' ? 'left' : outcome
  return printable(`${word.padEnd(8)} ${entry.id ?? 'by name'}  ${entry.name}: ${why}`)
}

function printOthers({ others }: OpenJournal, io: Io): void {
  if (others.length === 0) return
  const numbers = [...Map.groupBy(others, ({ kind }) => kind)].map(([kind, all]) =>
    count(all.length, kind),
  )
  io.out(fitted(`not deleted: ${numbers.join(', ')} (no route of the document deletes them)`, io))
}

function summary(gone: number, left: number): string {
  return left === 0 ? `All gone: ${count(gone, 'chat')}` : `${gone} gone, ${left} left`
}
