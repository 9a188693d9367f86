/** Kinds of text in a request that careless code mistakes for something else. */
import { asArray, type JsonObject } from '../../contract/index.ts'
import { isObject, plain, type Scenario } from '../../harness/conformance/scenario/index.ts'
import type { Edit } from '../laws/conditions/plan.ts'

/** Kinds of text in a field of a body, with words of the scenario, so that no fixed wording identifies a run. */
export function textEdits(member: string, texts: Scenario) {
  const edit = (change: (text: string) => string) => (body: JsonObject) => ({
    ...body,
    [member]: change(String(body[member])),
  })
  // No model reads a message that is only stored.
  return textEditsOf(texts, edit, member === 'content' ? 4_500 : 300)
}

/** Kinds of text in the last message of a completion. */
export function messageTextEdits(texts: Scenario) {
  return textEditsOf(texts, (change) => (body) => {
    const messages = messagesOf(body)
    const last = messages.at(-1)
    return {
      ...body,
      messages: [...messages.slice(0, -1), { ...last, content: change(String(last?.['content'])) }],
    }
  })
}

export function messagesOf(body: JsonObject): readonly JsonObject[] {
  return asArray(body['messages']).filter(isObject)
}

function textEditsOf(
  { prompts, session }: Scenario,
  edit: (change: (text: string) => string) => Edit,
  notes = 300,
) {
  const [first, last] = [prompts.instruction('First line.'), prompts.instruction('Last line.')]
  let literals = 0
  // A name may be tidied, or be too long for these.
  const ofTexts = (of: (text: string) => string, more: string) =>
    edit((text) => `${of(text)} ${more}`)
  return {
    characters: { 'beyond ASCII': ofTexts(beyondAscii, 'a\u00a0b ❤️ 🇩🇪') },
    spaces: { double: edit(withSpaces) },
    lines: {
      LF: edit((text) => `\`\`\`js\n${first}\n\`\`\`\n${text}\n\n\n\n${last}`),
      CRLF: edit((text) => `${first}\r\n${text}\r\n${last}\r${first}`),
    },
    'outer space': { given: edit((text) => `  ${text}\t `) },
    length: {
      'of 1,000 characters and more': edit((text) => {
        const parts = Array.from({ length: 10 }, () => prompts.note(session.nonce()))
        return `${Array.from({ length: notes }, (_, at) => parts[at % parts.length]).join(' ')} ${text}`
      }),
    },
    text: {
      'like JSON': edit(likeJson),
      'like HTML, with escapes': ofTexts(likeHtml, masked),
      'of digits': edit((text) => `00${digitsOf(text)}`),
      'of one character': edit((text) => digitsOf(text).at(-1) ?? '7'),
      'a literal': edit(() => ['null', 'true'][literals++ % 2] ?? 'null'),
    },
  }
}

/** Parts of a text that careless code fills in, rounds, masks or makes a link; the number is none of a card. */
const masked = `\${HOME} 9007199254740993 a.b@c.example https://c.example/A?b=1&c`

/** Kinds of a name. */
export function nameEditsOf(edit: (change: (text: string) => string) => Edit) {
  return {
    characters: { 'beyond ASCII': edit(beyondAscii) },
    spaces: { double: edit(withSpaces) },
    lines: { LF: edit((text) => `${text}\nline 2`) },
    text: { 'like JSON': edit(likeJson), 'like HTML, with escapes': edit(likeHtml) },
  }
}

const beyondAscii = (text: string) => `${text} ö 京 𝒜 👩‍🚀 n\u0303`
const withSpaces = (text: string) => `${text}  a  b`
const likeJson = (text: string) => JSON.stringify({ note: text, n: [1, null] })
const likeHtml = (text: string) => `<b>${text}</b> &amp; C:\\new %41+%20 {{x}} $A *i*`

/** Kinds of text that one question may have together. */
export const combinedTexts = {
  text: 'like HTML, with escapes',
  characters: 'beyond ASCII',
  spaces: 'double',
  lines: 'CRLF',
  'outer space': 'given',
} as const

/** A question with all of them. */
export function withCombinedTexts(question: string, texts: Scenario): string {
  const edits: Readonly<Record<string, Readonly<Record<string, Edit>>>> = textEdits('text', texts)
  const { text: changed } = Object.entries(combinedTexts).reduce<JsonObject>(
    (body, [name, value]) => edits[name]?.[value]?.(body) ?? body,
    { text: question },
  )
  return String(changed)
}

/** Kinds of text that keep the words of a question. */
export const wholeTexts = { text: [plain, 'like JSON', 'like HTML, with escapes'] }

function digitsOf(text: string): string {
  return [...text].map((letter) => (letter.codePointAt(0) ?? 0) % 10).join('')
}
