import { join } from 'node:path'
import { messageOf } from '../../../contract/error-message.ts'
import { RedactingWriter } from '../../client/index.ts'
import { startJournal } from '../cleanup/journal.ts'
import { interfaceRevision, runRecordName, suiteVersion } from '../defaults.ts'
import { ConfigurationError } from '../errors.ts'
import type { RunOptions } from '../run-options.ts'
import type { RunSetup } from '../run-setup.ts'
import { writeRunRecord } from './record.ts'
import { makeFolder } from './result-files.ts'

/** @throws ConfigurationError if the folder cannot be created. */
export function prepareFolder(outDir: string): void {
  unlessUnwritable(() => makeFolder(outDir))
}

/**
 * Replaces the recording, the run record and the journal of an earlier run.
 * @throws ConfigurationError if the folder is not writable.
 */
export function prepareFiles(options: RunOptions, setup: RunSetup, startedAt: Date): void {
  const { outDir, selection, strict = false, incognito = false, depth = 'normal' } = options
  const { profile, only, skip } = selection
  unlessUnwritable(() => {
    new RedactingWriter().write(setup.exchangesFile, '')
    writeRunRecord(
      join(outDir, runRecordName),
      {
        suite: { version: suiteVersion(), interface: interfaceRevision },
        startedAt: startedAt.toISOString(),
        seed: setup.seed,
        strict,
        selection: { profile, only: [...only], skip: [...skip] },
        ...(incognito && { incognito }),
        depth,
        ...(options.exploration && { explore: options.exploration.operations }),
      },
      setup.profile,
    )
    if (setup.recordingFile === null) startJournal(setup.journalFile, setup)
  })
}

function unlessUnwritable(write: () => void): void {
  try {
    write()
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigurationError([`the folder for results cannot be written: ${reason}`])
  }
}
