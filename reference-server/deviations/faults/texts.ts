/** Faults that change a part of a text: of a stored message, or of an input in the history (sections 2.3 and 2.6). */
import { isText, toList } from '../patches/json.ts'
import { setFields } from '../patches/replies.ts'
import { type Fault, faultTable } from '../table.ts'

type Changes = Readonly<Record<string, (text: string) => string>>

const ofMessages: Changes = {
  'masks long numbers': (text) => text.replace(/\b\d{13,19}\b/g, '****'),
  'masks mail addresses': (text) => text.replace(/[\w.]+@[\w.]+/g, '[mail]'),
  'links addresses': (text) => text.replace(/https?:\/\/\S+/g, '<$&>'),
  'reduces blank lines': (text) => text.replace(/\n{3,}/g, '\n\n'),
  'replaces lone returns': (text) => text.replace(/\r(?!\n)/g, '\n'),
  'replaces spaces without a break': (text) => text.replaceAll('\u00a0', ' '),
  'removes variation selectors': (text) => text.replaceAll('\ufe0f', ''),
  'cuts after 65535 characters': (text) => text.slice(0, 65_535),
}

const ofInputs: Changes = {
  'fills in variables': (text) => text.replace(/\$\{\w+\}/g, ''),
  'removes code fences': (text) => text.replaceAll('```', ''),
  'removes flags': (text) => text.replace(/[\u{1f1e6}-\u{1f1ff}]/gu, ''),
  'removes leading zeros': (text) => (/^\d+$/.test(text) ? text.replace(/^0+/, '') : text),
  'empties null': (text) => (text === 'null' ? '' : text),
}

export const textFaults: readonly Fault[] = [
  ...Object.entries(ofMessages).flatMap(([what, change]) =>
    faultTable({
      [`V2-MSG-06 v2-message-${named(what)}: The answer to a message ${what}.`]: setFields(
        'v2.message',
        { content: change },
      ),
    }),
  ),
  ...Object.entries(ofInputs).flatMap(([what, change]) =>
    faultTable({
      [`V3-HIST-07 v3-history-${named(what)}: The history ${what} in the texts of inputs.`]:
        setFields('v3.history', {
          'result.*.item.content': (parts: unknown) =>
            Array.isArray(parts) ? toList(parts).map((part) => changed(part, change)) : parts,
        }),
    }),
  ),
]

function named(what: string): string {
  return what.replaceAll(' ', '-')
}

/** A part with another text, if it is one of an input. */
function changed(part: Readonly<Record<string, unknown>>, change: (text: string) => string) {
  return part['type'] === 'input_text' && isText(part['text'])
    ? { ...part, text: change(part['text']) }
    : part
}
