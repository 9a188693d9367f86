import type { Surface } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { surfaceTitle } from '../../catalogue/entries.ts'
import { html, type Markup } from '../../html/markup.ts'
import { bySeverity, verdictLabels } from '../words.ts'

/** Hidden until the script runs that makes them work. */
export function filters({ requirements }: ConformanceReport): Markup {
  const verdicts = bySeverity
    .map((verdict) => ({
      verdict,
      rows: requirements.filter((row) => row.verdict === verdict).length,
    }))
    .filter(({ rows }) => rows > 0)
  const surfaces = [...new Set(requirements.map(({ surface }) => surface))]
  return html`<form class="filters" id="filters" role="search" aria-label="Requirements" hidden>
<fieldset><legend>Verdict</legend>
${verdicts.map(
  ({ verdict, rows }) =>
    html`<label class="chip"><input type="checkbox" name="verdict" value="${verdict}" checked> ${verdictLabels[verdict]} <span class="count">${rows}</span></label>
`,
)}</fieldset>
<div class="fields">
<label>Surface <select name="surface"><option value="">all</option>${surfaces.map(option)}</select></label>
<label>Level <select name="level"><option value="">all</option><option>required</option><option>expected</option></select></label>
<label class="wide">Search <input type="search" name="search" placeholder="id, sentence, message"></label>
</div>
<p class="tools"><span id="shown">${requirements.length} of ${requirements.length} requirements</span>
<button type="button" id="open-all">Open all shown</button>
<button type="button" id="close-all">Close all</button>
<button type="reset">Reset</button></p>
<p class="keys"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>n</kbd> next violation</p>
</form>
<p id="none" hidden>No matching requirements.</p>`
}

function option(surface: Surface): Markup {
  return html`<option value="${surface}">${surfaceTitle(surface)}</option>`
}
