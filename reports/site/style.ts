/** Style of the site beside that of all pages: a table whose first column stays in sight. */
export const siteStyle = `
.implementations { list-style: none; padding: 0; }
.implementations li { padding: 0.4rem 0; border-top: 1px solid var(--line); }
.compared { overflow: auto; max-height: 85vh; border: 1px solid var(--line); margin-top: 1rem; }
.compared table { border-collapse: separate; border-spacing: 0; font-size: 0.9rem; }
.compared th, .compared td { padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; white-space: nowrap; }
.compared thead th { position: sticky; top: 0; background: var(--panel); z-index: 2; }
.compared th[scope='row'], .compared thead th:first-child { position: sticky; left: 0; background: var(--ground); min-width: 14rem; max-width: 26rem; white-space: normal; font-weight: 400; }
.compared thead th:first-child { z-index: 3; background: var(--panel); }
.compared tr:focus-within th[scope='row'] { background: var(--panel); }
.compared .sentence { display: block; color: var(--dim); }
a.pass { color: var(--pass); }
a.warn { color: var(--warn); }
a.not-applicable { color: var(--dim); }
@media (max-width: 40rem) {
  .compared th[scope='row'], .compared thead th:first-child { min-width: 8rem; max-width: 10rem; }
  .compared .sentence { display: none; }
}
`
