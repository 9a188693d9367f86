import { createHash } from 'node:crypto'
import { html, Markup } from './markup.ts'

export interface Document {
  readonly title: string
  readonly body: Markup
  readonly style: string
  readonly script: string
  /** Target of the skip link: the id of an element, and its name. */
  readonly skip: { readonly to: string; readonly text: string }
}

/**
 * The page around a body. Its content security policy allows only this style and this script, so
 * nothing is fetched, and nothing that a target sent could run even if it were not escaped.
 */
export function pageOf({ title, body, style, script, skip }: Document): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#${skip.to}">${skip.text}</a>
${body}
<p id="status" class="unseen" role="status"></p>
<script>${new Markup(script)}</script>
</body>
</html>
`
  return page.text
}

function policyOf(style: string, script: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
