/** Additional style of a load report. */
export const chartStyle = `
.outcome.met { color: var(--pass); }
.outcome.missed { color: var(--fail); }
.outcome.invalid, .untrusted strong, .untrusted td { color: var(--dim); }
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
`
