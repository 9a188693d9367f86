/** Light and dark from one set of names; every pair of text and ground keeps 4.5:1 (WCAG AA). */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f5f6f8; --text: #1b1f24; --dim: #57606a; --line: #d3d8de;
  --link: #0a58b0; --pass: #11652b; --fail: #b3201a; --warn: #8a4b00; --open: #5a3fa6;
  --fail-ground: #fdeeed;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11151a; --panel: #1a2027; --text: #e5e8ec; --dim: #a0aab5; --line: #363f49;
    --link: #7db8ff; --pass: #62c982; --fail: #ff8f86; --warn: #e5b04d; --open: #bba8fa;
    --fail-ground: #351a1b;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto; padding: 0 1rem 4rem; max-width: 72rem;
  background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif;
  overflow-wrap: anywhere;
}
code, pre, .time { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
code { font-size: 0.86em; unicode-bidi: isolate; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 0.5rem; background: var(--ground); padding: 0.5rem; z-index: 1; }
h1, h2, h3, h4, h5 { line-height: 1.25; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; font-weight: 600; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 0.75rem; }
h3 { font-size: 1.1rem; margin: 2rem 0 0; }
h4 { font-size: 0.95rem; margin: 1.25rem 0 0.25rem; color: var(--dim); font-weight: 600; }
h5 { font: 600 0.9rem/1.4 ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; margin: 0; }
p { margin: 0.5rem 0; }
header { padding-top: 1.5rem; }
.kind { margin: 0; color: var(--dim); }
.outcome { display: inline-block; margin-right: 0.35em; }
.doubt { border-left: 4px solid var(--fail); padding: 0.3em 0.8em; }
.target { font-weight: 400; }
.numbers { display: flex; flex-wrap: wrap; gap: 0.25rem 2rem; list-style: none; padding: 0; margin: 0 0 0.75rem; align-items: baseline; }
.numbers strong { font-size: 2.2rem; line-height: 1.1; font-variant-numeric: tabular-nums; margin-right: 0.15em; }
.numbers .of { color: var(--dim); }
.numbers a { color: inherit; text-decoration: none; }
.numbers a:hover { text-decoration: underline; }
.numbers .pass strong { color: var(--pass); }
.numbers .fail strong { color: var(--fail); }
.numbers .unproven strong { color: var(--open); }
dl { margin: 0.5rem 0; }
dl > div { display: grid; grid-template-columns: minmax(7rem, 11rem) 1fr; gap: 0 1rem; padding: 0.15rem 0; }
dt { color: var(--dim); }
dd { margin: 0; }
dd ul { margin: 0.25rem 0; padding-left: 1.1rem; }
summary { cursor: pointer; }
summary:focus-visible { outline-offset: -3px; }
.violations { list-style: none; padding: 0; margin: 0; }
.violations li { padding: 0.6rem 0 0.6rem 0.75rem; border-left: 3px solid var(--line); margin-bottom: 0.4rem; }
ul.violations ul { list-style: none; padding: 0; margin: 0.3rem 0 0; }
ul.violations ul li { border: 0; padding: 0.2rem 0 0.2rem 1rem; margin: 0; }
.found { color: var(--dim); }
.badge {
  display: inline-block; min-width: 4.2rem; padding: 0 0.45em; border: 1px solid; border-radius: 0.25rem;
  font-size: 0.78rem; line-height: 1.5; text-align: center; font-weight: 600; color: var(--dim);
  vertical-align: 0.06em;
}
.badge.pass { color: var(--pass); }
.badge.fail { color: var(--ground); background: var(--fail); border-color: var(--fail); }
.badge.warn { color: var(--warn); }
.badge.unproven { color: var(--open); }
.filters { background: var(--panel); border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.75rem 1rem; }
fieldset { border: 0; padding: 0; margin: 0 0 0.75rem; min-width: 0; }
legend { padding: 0; color: var(--dim); font-size: 0.9rem; }
.chip { display: inline-flex; align-items: center; gap: 0.35rem; margin: 0 1rem 0.1rem 0; min-height: 2rem; }
.count { color: var(--dim); font-variant-numeric: tabular-nums; }
.fields { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.fields label { display: grid; gap: 0.15rem; color: var(--dim); font-size: 0.9rem; }
.fields .wide { flex: 1 1 14rem; }
input, select, button {
  font: inherit; font-size: 0.95rem; color: var(--text); background: var(--ground);
  border: 1px solid var(--dim); border-radius: 0.3rem; padding: 0.3rem 0.55rem; max-width: 100%;
}
input[type='checkbox'] { width: 1.1rem; height: 1.1rem; accent-color: var(--link); }
input::placeholder { color: var(--dim); opacity: 1; }
button { cursor: pointer; }
.tools { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0.75rem 0 0; }
.tools span { margin-right: auto; color: var(--dim); font-variant-numeric: tabular-nums; }
.row { border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2.2rem; }
.row > summary { padding: 0.35rem 0.25rem; list-style: none; }
.row > summary::-webkit-details-marker { display: none; }
.row > summary:hover { background: var(--panel); }
.row > summary .badge { margin-right: 0.4rem; }
.row > summary code { margin-right: 0.4rem; font-weight: 600; }
.passes > summary { padding: 0.35rem 0.25rem; border-top: 1px solid var(--line); color: var(--pass); }
.hint { color: var(--dim); }
.hint span { font-weight: 600; }
.keys { color: var(--dim); font-size: 0.85rem; margin: 0.5rem 0 0; }
kbd { border: 1px solid var(--line); border-radius: 0.25rem; padding: 0 0.35em; background: var(--ground); font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 0.9em; margin-left: 0.5em; }
.level { color: var(--dim); font-size: 0.85rem; }
.opened { padding: 0.25rem 0 1.25rem 1rem; margin-left: 0.25rem; border-left: 3px solid var(--line); }
.row[data-verdict='fail'] > .opened { border-left-color: var(--fail); }
.row[data-verdict='warn'] > .opened { border-left-color: var(--warn); }
.message { font-weight: 600; }
.exchange { border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.75rem; margin-top: 1rem; }
.role, .ids { color: var(--dim); font-size: 0.88rem; }
.sent { display: flex; justify-content: space-between; align-items: end; gap: 1rem; }
.lead { margin: 0.75rem 0 0.25rem; font-weight: 600; font-size: 0.92rem; }
.answer { font-weight: 400; }
.copy { font-size: 0.85rem; padding: 0.15rem 0.6rem; }
pre {
  margin: 0.25rem 0 0.5rem; padding: 0.6rem 0.75rem; background: var(--panel); border-radius: 0.35rem;
  font-size: 0.82rem; line-height: 1.45; white-space: pre-wrap; overflow-wrap: anywhere;
}
pre code { font-size: inherit; }
.headers { font-size: 0.9rem; margin-bottom: 0.25rem; }
figure { margin: 0.75rem 0 0.25rem; }
svg { display: block; width: 100%; height: 2rem; }
.axis { fill: var(--line); }
.tick { fill: var(--link); }
.head { fill: var(--dim); }
.bad { fill: var(--fail); }
figcaption { display: flex; justify-content: space-between; gap: 0.5rem; color: var(--dim); font-size: 0.8rem; }
.events { list-style: none; padding: 0; margin: 0.5rem 0 0; font-size: 0.85rem; }
.events li { padding: 0.2rem 0.4rem; border-top: 1px solid var(--line); }
.events .time { white-space: pre; color: var(--dim); }
.events .fold, .events .end { color: var(--dim); }
.events .offending { background: var(--fail-ground); border-left: 4px solid var(--fail); }
.events .offending .time, .events .offending strong { color: var(--fail); }
.dialect > div { grid-template-columns: minmax(14rem, 2fr) 3fr; border-top: 1px solid var(--line); padding: 0.5rem 0; }
.dialect dt { color: var(--text); }
.outcome.met { color: var(--pass); }
.outcome.missed { color: var(--fail); }
.outcome.invalid, .untrusted strong, .untrusted td { color: var(--dim); }
.untrusted .plot { filter: saturate(0.3); opacity: 0.6; }
.outcome.undecided { color: var(--open); }
.numbers strong { white-space: nowrap; }
.scroll { overflow-x: auto; max-width: 100%; margin: 0.5rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
thead th { color: var(--dim); font-weight: 600; border-bottom: 1px solid var(--line); vertical-align: bottom; }
th, td { padding: 0.2rem 0.75rem 0.2rem 0; text-align: left; overflow-wrap: normal; }
tbody th { font-weight: 600; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
.figure { text-align: right; white-space: nowrap; }
.chart { border-top: 1px solid var(--line); padding: 0.75rem 0; margin: 0; }
.chart figcaption { display: block; color: var(--text); font-size: 1.05rem; font-weight: 600; }
.chart details { margin-top: 0.25rem; }
.chart details .scroll { max-height: 24rem; overflow-y: auto; }
.plot { width: 100%; }
.plot .u-wrap { cursor: crosshair; }
.readout { min-height: 1.5em; margin: 0; font-size: 0.85rem; color: var(--dim); font-variant-numeric: tabular-nums; }
.keys { display: flex; flex-wrap: wrap; gap: 0.35rem; }
.keys button { display: inline-flex; align-items: center; gap: 0.4rem; font-size: 0.85rem; padding: 0.15rem 0.6rem; min-height: 1.8rem; }
.keys button[aria-pressed='false'] { text-decoration: line-through; color: var(--dim); }
.swatch { width: 1.4rem; height: 0; border-top: 3px solid; }
.swatch.c0 { border-color: var(--link); }
.swatch.c1 { border-color: var(--open); border-top-style: dashed; }
.swatch.c2 { border-color: var(--pass); }
.swatch.c3 { border-color: var(--warn); border-top-style: dotted; }
.swatch.c4 { border-color: var(--fail); border-top-style: dashed; }
.swatch.c5 { border-color: var(--dim); }
.swatch.dot { width: 0; border-style: solid; border-width: 5px; border-radius: 50%; }
@media print { .keys, .readout { display: none; } }
[hidden] { display: none !important; }
@media (max-width: 40rem) {
  dl > div, .dialect > div { grid-template-columns: 1fr; padding: 0.35rem 0; }
  .opened { padding-left: 0.6rem; }
  .exchange { padding: 0.6rem; }
  .sentence { display: block; margin-top: 0.15rem; }
  .numbers { gap: 0.25rem 1.25rem; }
  .numbers strong { display: block; font-size: 1.9rem; }
}
@media print {
  .filters, .copy, .skip { display: none; }
}
`
