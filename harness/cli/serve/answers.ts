import { appendFileSync, type Stats, unwatchFile, watchFile, writeFileSync } from 'node:fs'
import { messageOf } from '../../../contract/text.ts'
import type { ReferenceServerOptions } from '../../../reference-server/index.ts'
import {
  type AnswerScript,
  answerScript,
  type ScriptEntry,
} from '../../../reference-server/model/script/answer-script.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import { checkDocument, readDocument } from '../../conformance/profile/document.ts'
import { inputText } from '../values.ts'

export interface AnswerFlags {
  readonly script?: string
  readonly record?: string
  readonly replay?: string
}

export type AnswerOptions = Pick<ReferenceServerOptions, 'script' | 'onAnswer'>

/** Recordings of long sessions are larger than files that people write. */
const maxScriptLength = 16 * 1024 * 1024

/**
 * The source of answers that the flags name, and the file that keeps them.
 * @throws ConfigurationError that names file, line and field of every problem
 */
export function answerOptions({ script, record, replay }: AnswerFlags): AnswerOptions {
  if (script !== undefined && replay !== undefined) {
    throw new ConfigurationError(['--script and --replay exclude each other'])
  }
  const file = script ?? replay
  if (file !== undefined && file === record) {
    throw new ConfigurationError([
      `--record: ${record} is the file that answers are read from: choose another file`,
    ])
  }
  const read = file === undefined ? undefined : readScript(file)
  return {
    ...(read === undefined
      ? {}
      : { script: replay === undefined ? read : { ...read, otherwise: 'error' } }),
    ...(record === undefined ? {} : { onAnswer: recorder(record) }),
  }
}

function readScript(name: string): AnswerScript {
  return parseScript(name, inputText(name, `cannot read ${name}`, maxScriptLength))
}

/**
 * A script of YAML or JSON.
 * @param name prefix of each problem
 * @throws ConfigurationError that names line and field of every problem
 */
export function parseScript(name: string, text: string): AnswerScript {
  const document = readDocument({ name, text }, 'a script', maxScriptLength)
  return checkDocument(answerScript, document.value, document.place)
}

const pollMs = 250

/**
 * Reads a script again when its file changes or is replaced. If it cannot be read, the earlier one stays in
 * use.
 * @returns function that ends the watch
 */
export function watchScript(
  file: string,
  use: (script: AnswerScript) => void,
  say: (text: string) => void,
): () => void {
  const changed = ({ mtimeMs }: Stats) => {
    if (mtimeMs === 0) return
    try {
      const script = readScript(file)
      use(script)
      say(`${file} was read again (answers: ${script.answers.length})`)
    } catch (error) {
      say(`${messageOf(error)}\nThe earlier answers remain in use`)
    }
  }
  watchFile(file, { interval: pollMs, persistent: false }, changed)
  return () => unwatchFile(file, changed)
}

/** Writes a script with one line per entry, valid after every line. */
function recorder(file: string): (entry: ScriptEntry) => void {
  const heading = '# Recorded by chatgen serve --record; chatgen serve --replay FILE\nanswers:\n'
  asConfigurationError(Error, () => writeFileSync(file, heading), `cannot write ${file}`)
  return (entry) => appendFileSync(file, `  - ${JSON.stringify(entry)}\n`)
}
