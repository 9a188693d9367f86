import { existsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { count } from '../../../reports/text/format.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { InitResult } from '../../conformance/init/init.ts'
import { settleJournal } from '../check/left-behind.ts'
import type { AddCommand } from '../command.ts'
import { flag, keyEnvFlag, positiveInteger } from '../flags.ts'
import { ambientKey } from '../target/key.ts'
import { addNetworkFlags } from '../target/network-flags.ts'
import { type TargetFlags, withTarget } from '../target/target.ts'
import { fitted } from '../terminal/fitted.ts'
import type { Io } from '../terminal/io.ts'
import { showSteps } from '../terminal/steps.ts'

interface InitFlags extends TargetFlags {
  readonly out: string
  readonly force?: boolean
  readonly quiet?: boolean
}

const examples = `
Examples:
  $ chatgen init https://chat.example.org
  $ chatgen init https://chat.example.org --out staging.yaml --key-env STAGING_KEY
  $ chatgen init http://127.0.0.1:4010 --out -

About twenty requests, seven of which run a model. Chats that are made for it are deleted. A request
takes no longer than ten times --timeout, an answer no more than the limits of docs/limits.md.

Exit codes:
  0 written   2 usage, or the file is there and --force is not given
  3 target unreachable, no such service, or it refuses the key   130 interrupted`

/** `chatgen init URL`: writes the target profile, as far as it can be found out. */
export const initCommand: AddCommand = (program, io) => {
  const command = program
    .command('init')
    .description('write a target profile with what can be found out about a deployment')
    .argument('<url>', 'base address of the deployment, without /api')
    .addOption(
      flag('--out <file>', 'where to write it; - for standard output', 'init').default(
        'target.yaml',
      ),
    )
    .addOption(keyEnvFlag())
    .addOption(flag('--timeout <ms>', 'longest silence of the target').argParser(positiveInteger))
    .addOption(flag('--force', 'overwrite the file'))
    .addOption(flag('--quiet', 'no progress'))
    .addHelpText('after', examples)
  addNetworkFlags(command).action(async (url: string, flags: InitFlags) => {
    refuseToOverwrite(flags)
    const { initProfile } = await import('../../conformance/init/init.ts')
    const { out, force, keyEnv = ambientKey } = flags
    const journalFile =
      out === '-' ? join(tmpdir(), `chatgen-init-${process.pid}.ndjson`) : `${out}.journal.ndjson`
    const progress = showSteps(io, { name: 'init', wanted: !flags.quiet })
    try {
      const result = await withTarget(url, targetFlagsOf(flags), io, (profile) =>
        initProfile({ profile, keyEnv, journalFile, signal: io.signal, onStep: progress.step }),
      )
      progress.stop()
      if (out === '-') io.out(result.text.trimEnd())
      else io.write(out, result.text, force ? 'w' : 'wx')
      tell(result, out, io)
    } finally {
      progress.stop()
      settleJournal(journalFile, io)
    }
  })
}

/** Without the target file and the reference server, which `init` does not know. */
function targetFlagsOf({ out: _, force: __, quiet: ___, ...flags }: InitFlags): TargetFlags {
  return flags
}

/** Before anything is asked. */
function refuseToOverwrite({ out, force }: InitFlags): void {
  if (out === '-' || !existsSync(out)) return
  if (statSync(out).isDirectory()) {
    throw new ConfigurationError([`--out: ${out} is a folder; name a file in it`])
  }
  if (!force) throw new ConfigurationError([`${out} is there already; --force overwrites it`])
}

/** Standard output is the profile's where it goes there. */
function tell({ detection, cost: { requests } }: InitResult, out: string, io: Io): void {
  const print = out === '-' ? io.err : io.out
  const say = (text: string) => print(fitted(text, io))
  const { surfaces, ...probes } = detection
  const usable = Object.entries(surfaces).filter(([, { usable }]) => usable)
  // Where no generation wants a member of its own, nothing is left to find out.
  const required = probes.required?.value === undefined ? undefined : probes.required
  const named = { ...probes, chat: undefined, required }
  const found = Object.entries(named).filter(([, probe]) => probe?.value !== undefined)
  const open = Object.entries(named).filter(([, probe]) => probe && probe.value === undefined)
  say(`Asked ${count(requests, 'request')}; surfaces: ${names(usable)}`)
  say(`Found out: ${names(found)}`)
  if (open.length > 0) say(`Not found out, with an example in the file: ${names(open)}`)
  if (out !== '-') say(`Wrote ${out}. Next: chatgen check --target ${out}`)
}

function names(entries: readonly (readonly [string, unknown])[]): string {
  return entries.map(([name]) => name).join(', ') || 'nothing'
}
