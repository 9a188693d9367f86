/** Parts of a source text, each with the line on which it starts. */
export interface Part {
  readonly kind: 'code' | 'comment' | 'text'
  readonly line: number
  readonly text: string
}

/** Splits TypeScript into code, comments and texts of strings and templates. */
export function scanSource(source: string): readonly Part[] {
  const parts: Part[] = []
  /** Depths of braces at which the expressions of open templates end. */
  const templates: number[] = []
  let depth = 0
  let at = 0
  let line = 1
  let code = ''
  const push = (kind: Part['kind'], text: string) => {
    if (text !== '') parts.push({ kind, line, text })
    line += text.split('\n').length - 1
  }
  const pushCode = () => {
    push('code', code)
    code = ''
  }
  const pushMatch = (kind: Part['kind'], pattern: RegExp) => {
    pushCode()
    pattern.lastIndex = at
    const text = pattern.exec(source)?.[0] ?? source.slice(at)
    push(kind, text)
    at += text.length
  }
  while (at < source.length) {
    const character = source[at] ?? ''
    const two = source.slice(at, at + 2)
    if (two === '//') pushMatch('comment', lineComment)
    else if (two === '/*') pushMatch('comment', blockComment)
    else if (character === "'") pushMatch('text', singleQuoted)
    else if (character === '"') pushMatch('text', doubleQuoted)
    else if (character === '/' && startsRegExp.test(code.slice(-12))) pushMatch('text', regExp)
    else if (character === '`' || (character === '}' && templates.at(-1) === depth)) {
      if (character === '}') templates.pop()
      pushMatch('text', templateText)
      if (source.slice(at - 2, at) === '${') templates.push(depth)
    } else {
      if (character === '{') depth += 1
      if (character === '}') depth -= 1
      plainCode.lastIndex = at + 1
      const text = character + (plainCode.exec(source)?.[0] ?? '')
      code += text
      at += text.length
    }
  }
  pushCode()
  return parts
}

/** Code in which nothing else can start. */
const plainCode = /[^'"`/{}]*/y
const lineComment = /\/\/[^\n]*/y
const blockComment = /\/\*[\s\S]*?\*\//y
const singleQuoted = /'(?:\\[\s\S]|[^'\\\n])*'/y
const doubleQuoted = /"(?:\\[\s\S]|[^"\\\n])*"/y
const templateText = /[`}](?:\\[\s\S]|(?!\$\{)[^`\\])*(?:`|\$\{)/y
const regExp = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y
/** A slash after an operator starts a regular expression, after a value it divides. */
const startsRegExp = /(?:[([{,;=:!&|?+*%~^<>-]|\breturn|\bcase|\btypeof|^)\s*$/
