import type { Command } from 'commander'
import type { ExitCode } from './exit-codes.ts'
import type { Io } from './terminal/io.ts'

/** A command adds itself to the program and says with which code it ended. */
export type AddCommand = (program: Command, io: Io, finish: (code: ExitCode) => void) => void
