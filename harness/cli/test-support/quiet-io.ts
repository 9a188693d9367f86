import type { Io } from '../terminal/io.ts'

/** An Io without a terminal that discards everything. */
export function quietIo(members: Partial<Io> = {}): Io {
  return {
    out: () => {},
    err: () => {},
    write: () => {},
    clean: String,
    redact: () => {},
    env: {},
    terminal: false,
    color: false,
    colorErr: false,
    width: 100,
    signal: new AbortController().signal,
    ...members,
  }
}
