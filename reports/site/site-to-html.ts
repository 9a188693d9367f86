import { isRequirementId, sourceOf } from '../../contract/index.ts'
import type { Verdict } from '../../contract/report/conformance.ts'
import { verdictLabels } from '../conformance/words.ts'
import { pageOf } from '../html/document.ts'
import { html, type Markup } from '../html/markup.ts'
import { style as baseStyle } from '../html/style.ts'
import { shorten, withoutColours } from '../text/escape.ts'
import { count } from '../text/format.ts'
import {
  type ComparedRequirement,
  compareObservations,
  compareRequirements,
  type Implementation,
  isVerified,
  type Verified,
  type VersionChange,
  versionChanges,
} from './model.ts'
import { siteScript } from './script.ts'
import { siteStyle } from './style.ts'

/**
 * Comparison of certified implementations as one page: verdicts by requirement and implementation, each
 * linked to its evidence; answers to open questions side by side; changes between versions. It fetches
 * nothing; the linked pages lie beside it.
 */
export function siteToHtml(implementations: readonly Implementation[]): string {
  const verified = implementations.filter(isVerified)
  const requirements = compareRequirements(verified)
  return pageOf({
    title: `Certified implementations: ${verified.length}`,
    style: baseStyle + siteStyle,
    script: siteScript,
    skip: { to: 'requirements', text: 'To the requirements' },
    body: html`<header>
<p class="kind">Chat Generation Service</p>
<h1>Certified implementations</h1>
</header>
<main>
${implementationList(implementations)}
${changeList(versionChanges(verified))}
<section aria-labelledby="requirements">
<h2 id="requirements" tabindex="-1">Requirements</h2>
${filters(requirements)}
${requirementTable(requirements, verified)}
</section>
${observationList(verified)}
</main>`,
  })
}

function implementationList(implementations: readonly Implementation[]): Markup {
  return html`<section aria-labelledby="implementations">
<h2 id="implementations">Implementations</h2>
<ul class="implementations">
${implementations.map(
  (one) => html`<li id="${one.slug}"><strong>${one.vendor} ${one.name} ${one.version}</strong>
${isVerified(one) ? verifiedText(one) : html`<span class="badge fail">unverified</span> ${one.unverified}`}</li>
`,
)}</ul>
</section>`
}

function verifiedText({ report, page, startedAt }: Verified): Markup {
  const { pass, warn } = report.totals
  const absent = report.totals['not-applicable']
  const day = startedAt.slice(0, 10)
  return html`<span class="badge pass">verified</span> ${pass} passed, ${count(warn, 'warning')}, ${absent} not applicable; ${day}, chatgen ${report.suite.version}, profile ${report.target.profile}: <a href="${page}">evidence</a>`
}

function changeList(changes: readonly VersionChange[]): Markup | null {
  if (changes.length === 0) return null
  return html`<section aria-labelledby="changes">
<h2 id="changes">Changes since the last version</h2>
${changes.map(
  ({
    from,
    to,
    requirements,
    observations,
  }) => html`<h3>${to.vendor} ${to.name} ${from.version} to ${to.version}</h3>
${requirements.length + observations.length === 0 ? html`<p>No verdict and no observation differs.</p>` : null}
<ul>${requirements.map(
    ({ id, before, after }) =>
      html`<li><a href="${to.page}#${id}"><code>${id}</code></a> ${label(before)}, now ${label(after)}</li>`,
  )}${observations.map(
    ({ id, before, after }) =>
      html`<li><code>${id}</code> ${text(before)}, now ${text(after)}</li>`,
  )}</ul>
`,
)}
</section>`
}

/** Hidden until the script runs that makes them work. */
function filters(requirements: readonly ComparedRequirement[]): Markup {
  const surfaces = [...new Set(requirements.map(({ surface }) => surface))]
  return html`<form class="filters" id="filters" role="search" aria-label="Requirements" hidden>
<div class="fields">
<label>Surface <select name="surface"><option value="">all</option>${surfaces.map((name) => html`<option>${name}</option>`)}</select></label>
<label>Level <select name="level"><option value="">all</option><option>required</option><option>expected</option></select></label>
<label class="wide">Search <input type="search" name="search" placeholder="id, sentence"></label>
<label class="chip"><input type="checkbox" name="differs" value="yes"> Differences only</label>
</div>
<p class="tools"><span id="shown">${requirements.length} of ${requirements.length} requirements</span> <button type="reset">Reset</button></p>
<p class="keys"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next, previous</p>
</form>
<p id="none" hidden>No matching requirements.</p>`
}

function requirementTable(
  requirements: readonly ComparedRequirement[],
  verified: readonly Verified[],
): Markup {
  return html`<div class="scroll compared" tabindex="0" role="group" aria-label="Verdicts by implementation">
<table><thead><tr><th scope="col">Requirement</th>${verified.map(
    ({ slug, name, version }) =>
      html`<th scope="col"><a href="#${slug}">${name} ${version}</a></th>`,
  )}</tr></thead>
<tbody>
${requirements.map(
  ({ id, level, surface, title, verdicts, differs }) =>
    html`<tr data-level="${level}" data-surface="${surface}" data-differs="${differs ? 'yes' : 'no'}"><th scope="row"><code>${id}</code> <span class="sentence">${title}</span>${isWire(id) ? html` <span class="source">wire</span>` : null}</th>${verdicts.map((verdict, at) => cell(id, verdict, verified[at]))}</tr>
`,
)}</tbody></table></div>`
}

/** Tests if a requirement concerns every server with the common format of chat completions. */
function isWire(id: string): boolean {
  return isRequirementId(id) && sourceOf(id) === 'wire'
}

function cell(id: string, verdict: Verdict | null, one: Verified | undefined): Markup {
  if (verdict === null || one === undefined) return html`<td>not certified</td>`
  return html`<td><a class="${verdict}" href="${one.page}#${id}">${verdictLabels[verdict]}</a></td>`
}

const maxAnswerLength = 300

function observationList(verified: readonly Verified[]): Markup | null {
  const observations = compareObservations(verified)
  if (observations.length === 0) return null
  return html`<section aria-labelledby="observations">
<h2 id="observations">Open questions</h2>
<p>Behavior where the interface document leaves a choice. Not judged.</p>
<dl class="dialect">
${observations.map(
  ({ id, question, answers }) =>
    html`<div><dt><code>${id}</code> ${question}</dt><dd>${answers.map(
      ({ answer, by }) =>
        html`<p>${text(answer)} <span class="ids">${by.map(({ name, version }) => `${name} ${version}`).join(', ')}</span></p>`,
    )}</dd></div>
`,
)}</dl>
</section>`
}

function label(verdict: Verdict | null): string {
  return verdict === null ? 'not certified' : verdictLabels[verdict]
}

function text(answer: string | null): string {
  return answer === null ? 'not observed' : shorten(withoutColours(answer), maxAnswerLength)
}
