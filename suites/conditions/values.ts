/** Values of the dimensions that operations have in common. */
import type { RequirementId } from '../../contract/index.ts'
import { inputText, isObject } from '../../harness/conformance/scenario/index.ts'
import type { Body, Value } from './rows.ts'

type Values<R extends string> = Readonly<Record<string, Value<R>>>

/** Sets members of a body. */
export function set<R extends RequirementId>(requirement: R, members: Body): Value<R> {
  return { requirement, edit: (body) => ({ ...body, ...members }) }
}

/** Texts of kinds that careless code takes for something else, made of a text that is free. */
const kinds: Readonly<Record<string, (text: string) => string>> = {
  'of digits': (text) => [...text].map((letter) => (letter.codePointAt(0) ?? 0) % 10).join(''),
  'beyond ASCII': (text) => `${text} Größe, naïveté, 東京.`,
  'beyond the BMP': (text) => `${text} 🚀 𝒜 👩‍🚀.`,
  'of several lines': (text) => `First line.\n${text}\n\nLast line.`,
  'with CRLF': (text) => `First line.\r\n${text}\r\nLast line.`,
  'like JSON': (text) => JSON.stringify({ note: text, list: [1, null] }),
  'like HTML': (text) => `<p class="x">${text}</p> <b>&amp;</b>`,
  'with outer space': (text) => `  ${text}\t `,
  'with double spaces': (text) => `${text}  Two  spaces.`,
  long: (text) => `${text} ${'It is a long way to the harbor. '.repeat(40)}`,
}

/** Kinds of the text of a member; a refusal of one breaks the requirement. */
export function textsOf<R extends RequirementId>(requirement: R, member: string): Values<R> {
  return valuesOf(kinds, (change) => ({
    requirement,
    edit: (body) => ({ ...body, [member]: change(String(body[member])) }),
  }))
}

/** Kinds of names that fit on a line. */
export function namesOf<R extends RequirementId>(requirement: R): Values<R> {
  const lines = ['long', 'of several lines', 'with CRLF', 'with outer space', 'with double spaces']
  const texts = Object.entries(textsOf(requirement, 'name'))
  return Object.fromEntries(texts.filter(([kind]) => !lines.includes(kind)))
}

/** Kinds of the text of the last message. */
export function messageTexts<R extends RequirementId>(requirement: R): Values<R> {
  return valuesOf(kinds, (change) => ({
    requirement,
    edit: (body) => ({
      ...body,
      messages: messagesOf(body).map((message, at, all) =>
        at === all.length - 1
          ? { ...message, content: change(String(message['content'])) }
          : message,
      ),
    }),
  }))
}

export function messagesOf(body: Body): readonly Body[] {
  const { messages } = body
  return Array.isArray(messages) ? messages.filter(isObject) : []
}

/** Forms of `input` other than a text; applied after the kinds of its text. */
export function inputForms<R extends RequirementId>(requirement: R): Values<R> {
  const forms: Readonly<Record<string, (text: string) => unknown>> = {
    items: (text) => [inputText(text)],
    'several items': (text) => [inputText('Be brief.', 'system'), inputText(text)],
    'several parts': (text) => [
      {
        ...inputText(text),
        content: [text, 'Be brief.'].map((part) => ({ type: 'input_text', text: part })),
      },
    ],
  }
  return valuesOf(forms, (form) => ({
    requirement,
    edit: (body) => ({ ...body, input: form(String(body['input'])) }),
  }))
}

function valuesOf<T, R extends string>(
  named: Readonly<Record<string, T>>,
  value: (of: T) => Value<R>,
): Values<R> {
  return Object.fromEntries(Object.entries(named).map(([name, of]) => [name, value(of)]))
}
