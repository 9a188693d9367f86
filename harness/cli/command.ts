import type { Command } from 'commander'
import type { ExitCode } from './exit-codes.ts'
import type { Io } from './terminal/io.ts'

/** Adds a command to the program; `finish` receives its exit code. */
export type AddCommand = (program: Command, io: Io, finish: (code: ExitCode) => void) => void
