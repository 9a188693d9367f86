import type { Residue } from '../../../contract/report/conformance.ts'
import { count, printable } from '../../text/escape.ts'
import { clean, hanging, type Lines, type Page } from '../../text/page.ts'

/** What the run has left on the target: chats one by one, what no route deletes by its number. */
export function residueList(page: Page): Lines {
  const { residue, residueUnseen } = page.report
  const chats = residue.filter(({ kind }) => kind === 'chat')
  const others = residue.filter(({ kind }) => kind !== 'chat')
  return [
    ...(chats.length === 0 ? [] : chatLines(page, chats)),
    ...(others.length === 0 ? [] : otherLines(page, others)),
    ...(residueUnseen === null
      ? []
      : hanging(page, 'what is left was not looked for to the end: ', clean(residueUnseen))),
  ]
}

function chatLines(page: Page, chats: readonly Residue[]): Lines {
  return [
    page.chalk.yellow.bold(
      `Left on the target, which is no violation (${count(chats.length, 'chat')})`,
    ),
    ...chats.flatMap(({ name, id, why }) =>
      hanging(page, '  ', `${printable(id ?? 'no id')}, ${printable(name)}: ${clean(why)}`),
    ),
    ...hanging(page, '  ', 'chatgen cleanup tries again, with journal.ndjson from the results'),
  ]
}

function otherLines(page: Page, others: readonly Residue[]): Lines {
  const numbers = [...Map.groupBy(others, ({ kind }) => kind)].map(([kind, all]) =>
    count(all.length, kind),
  )
  const text = `${numbers.join(', ')} (no route of the document deletes them)`
  return hanging(page, 'left on the target: ', text)
}
