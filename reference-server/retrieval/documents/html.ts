/** HTML as text: headings, paragraphs and list items on lines of their own, the rest left out. */

export function htmlText(html: string): string {
  return outsideHidden(html)
    .replace(/<h[1-6][^<>]*>/gi, '\n\n# ')
    .replace(/<\/?(?:p|div|section|article|ul|ol|table|h[1-6]|title|body|head)[^<>]*>/gi, '\n\n')
    .replace(/<(?:br|li|tr|dt|dd)[^<>]*>/gi, '\n')
    .replace(/<[/!a-z][^<>]*>/gi, ' ')
    .replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, (entity, name: string) =>
      character(name, entity),
    )
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const hidden: readonly (readonly [from: string, to: string])[] = [
  ['<!--', '-->'],
  ['<script', '</script>'],
  ['<style', '</style>'],
  ['<title', '</title>'],
]

/** Scanned by hand: the end of what never ends is looked for once, not from every beginning. */
function outsideHidden(html: string): string {
  return hidden.reduce((text, [from, to]) => without(text, from, to), html)
}

function without(html: string, from: string, to: string): string {
  const lower = html.toLowerCase()
  const kept: string[] = []
  let at = 0
  for (;;) {
    const start = lower.indexOf(from, at)
    if (start < 0) break
    kept.push(html.slice(at, start))
    const end = lower.indexOf(to, start + from.length)
    if (end < 0) return kept.join('')
    at = end + to.length
  }
  return [...kept, html.slice(at)].join('')
}

const named = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

function character(name: string, entity: string): string {
  if (!name.startsWith('#')) return named.get(name.toLowerCase()) ?? entity
  const hexadecimal = /^#x/i.test(name)
  const code = Number.parseInt(name.slice(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity
}
