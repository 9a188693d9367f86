import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { entryScript, style } from '../../../reports/html/browser-files.ts'
import { chartParts } from '../../../reports/html/charts/page.ts'
import { assetFolder } from './access.ts'

const script = 'text/javascript; charset=utf-8'
const css = 'text/css; charset=utf-8'

/** Files of the page by their path; those of the reports are the same. */
export function pageAssets(): ReadonlyMap<
  string,
  { readonly type: string; readonly text: string }
> {
  const charts = chartParts([])
  const preact = createRequire(import.meta.url).resolve('preact')
  return new Map([
    ['style.css', { type: css, text: [charts.style, style, pageFile('page.css')].join('\n') }],
    ['charts.js', { type: script, text: charts.scripts.join('\n') }],
    ['entries.js', { type: script, text: entryScript }],
    ['preact.mjs', { type: script, text: readFileSync(preact, 'utf8') }],
    ['app.mjs', { type: script, text: pageFile('app.mjs') }],
  ])
}

const pageFile = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

const imports = JSON.stringify({ imports: { preact: `${assetFolder}preact.mjs` } })

/** The page before its script has drawn anything. */
export const pageFrame = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>chatgen</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetFolder}style.css">
<script type="importmap">${imports}</script>
<script src="${assetFolder}charts.js" defer></script>
<script src="${assetFolder}entries.js" defer></script>
<script type="module" src="${assetFolder}app.mjs"></script>
</head>
<body>
<a class="skip" href="#app">To the results</a>
<p id="alert" class="doubt" role="alert" hidden></p>
<div id="app" tabindex="-1"></div>
<p id="status" class="unseen" role="status"></p>
</body>
</html>
`

/** Headers of every response: nothing but the files of this page is loaded or run, and nobody embeds it. */
export const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(imports).digest('base64')}'`,
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const
