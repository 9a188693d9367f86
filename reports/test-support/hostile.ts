import type { Exchange } from '../../contract/index.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import type { CapacityReport } from '../capacity/model/report.ts'
import type { LoadReport } from '../load/model/report.ts'
import { capacityReportOf, loadReportOf } from './measurements.ts'
import { exchangeOf, requirement, violated } from './reports.ts'

/** Hostile texts from a target, by the reader of reports that they attack. */
export const hostileTexts: Readonly<Record<string, string>> = {
  'C0 controls': 'a\u0007\b\u000b\u000c\u000e\u001a\u007fb',
  NUL: 'a\u0000b',
  'line ends': 'a\r\nb\rc\nd\te\u0085f\u2028g\u2029h',
  'CSI sequences': '\u001b[2J\u001b[1;1H\u001b[31mred\u001b[8mhidden\u001b[?1049h',
  'C1 controls': '\u009b2J\u009d0;title\u009c\u0090q\u009c\u008d',
  'a title and the clipboard': '\u001b]0;title\u0007\u001b]52;c;cm0gLXJm\u0007',
  'an OSC 8 link': '\u001b]8;;https://evil.example/\u001b\\text\u001b]8;;\u001b\\',
  'bidirectional controls': 'a\u202e\u2066\u2067\u2068\u2069\u202a\u202c\u200e\u200f\u061cb',
  'zero-width characters': 'a\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u{e0041}\u{e007f}\u3164b',
  'lone surrogates': 'a\ud800b\udc00\ud800',
  'characters that XML forbids': 'a\u0001\ufffe\uffff\u{1fffe}]]>b',
  'HTML elements':
    '<script>window.pwned=1</script><img src=x onerror="window.pwned=1"><svg/onload=window.pwned=1><iframe src=https://evil.example/>',
  'the end of an element':
    '</code></pre></details></title></style></textarea></script><script>window.pwned=1</script>',
  'the end of an attribute':
    '" onclick="window.pwned=1" \' onfocus=\'window.pwned=1\' autofocus x="',
  'HTML in JSON': '<!--<script>{"a":"</script><script>window.pwned=1</script>-->"}',
  'entities and CDATA': '&lt;b&gt; &#60;i&#62; &amp;amp; &x; <![CDATA[x]]> <!DOCTYPE x> <?x?>',
  'Markdown links and images':
    '[a](https://evil.example/) ![b](//evil.example/p.png) <https://evil.example> https://evil.example www.evil.example mail@evil.example [c]: https://evil.example [^1]',
  'Markdown blocks': '# h\n\n- l\n\n> q\n\n---\n\n| a | b |\n| - | - |\n```\n~~~\n    code',
  'Markdown at the beginning': '# 1. - + > ``` | a',
  'an ordered list': '1. one',
  'a quoted table cell': '| a \\| b \\\\| c `|` ``|`` \\',
  'runs of backticks': '` `` ``` ````text\n````\n',
  'mentions and references':
    '@everyone cc @octocat #123 GH-123 owner/repo#123 https://github.com/a/b/issues/1',
  'emphasis and mathematics': '**b** __i__ ~~s~~ $\\href{https://evil.example}{x}$ $$x$$',
  'a formula with =': '=HYPERLINK("https://evil.example","x")',
  'a formula with +': "+1+cmd|' /C calc'!A0",
  'a formula with -': "-2+3+cmd|' /C calc'!A0",
  'a formula with @': '@SUM(1+1)',
  'a formula behind a tab': '\t=1+1',
  'a formula behind a line end': '\r=1+1,";\n"=2',
  'workflow commands':
    'x\n::error::pwned\n  ::set-output name=a::b\n::stop-commands::t\r::add-mask::a',
  'encoded workflow commands': '%0A::error::pwned%0D%0A %25 title=x,file=y::z',
  'workflow commands of old': '##[error]pwned ##[set-env name=A]b ##[add-path]/tmp',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
  'quotes of a shell': "' \" $HOME ${HOME} $(id) `id` \\ ! ; & | > < * ? ~ # \\' $'x' \nid\n",
  'file names': '../../../../etc/passwd.html ..\\..\\x /etc/passwd file:///etc/passwd -rf',
  'labels of Prometheus': '"} 1\nup{a="b\\',
}

/** A report with the text in place of every text of a target, and its exchanges. */
export function hostileReport(text: string): {
  readonly report: ConformanceReport
  readonly exchanges: ReadonlyMap<string, Exchange>
} {
  const names = { scenarios: [text], brokenBy: [text] }
  const requirements = [
    requirement('V3-SSE-05', 'fail', {
      message: text,
      exchanges: ['x1', 'x2'],
      event: 0,
      ...names,
    }),
    // Of one cause, by their message and by their evidence.
    requirement('OAI-CHAT-09', 'fail', { message: `usage: ${text}`, exchanges: ['x2'] }),
    requirement('OAI-CHAT-06', 'fail', { message: `usage: ${text}`, exchanges: ['x3'] }),
    requirement('V3-HIST-01', 'fail', { message: `first ${text}`, exchanges: ['x4'] }),
    requirement('V3-HIST-02', 'fail', { message: `second ${text}`, exchanges: ['x4'] }),
    requirement('OAI-ERR-01', 'fail', { message: text, known: true, exchanges: ['x2'] }),
    requirement('V3-SSE-07', 'warn', { message: text, exchanges: ['x2'] }),
    requirement('V3-GEN-03', 'inconclusive', { message: text }),
    requirement('V2-MSG-01', 'unproven', { message: text }),
    requirement('V3-CHAT-10', 'observed', { message: text }),
    requirement('V3-GEN-08', 'not-applicable', { message: text }),
    requirement('V3-IDEM-05', 'error', { message: text }),
  ]
  const sent = {
    method: 'POST',
    url: `http://127.0.0.1:4010/api/${text}`,
    body: `{"chat":"${text}"}`,
  }
  const headers = [['x-from-an-answer', text]] as const
  const exchanges = [
    exchangeOf({
      id: 'x1',
      ...sent,
      headers,
      type: `text/event-stream;${text}`,
      events: [
        { atMs: 1, name: text, data: text },
        ...Array.from({ length: 30 }, (_, at) => ({ atMs: 2 + at, name: text, data: text })),
      ],
      ending: { kind: 'cut', atMs: 40, error: text },
    }),
    exchangeOf({ id: 'x2', ...sent, type: text, answer: text }),
    exchangeOf({
      id: 'x3',
      ...sent,
      status: null,
      ending: { kind: 'unreachable', atMs: 3, code: text, error: text },
    }),
    exchangeOf({ id: 'x4', ...sent, answer: JSON.stringify({ [text]: text }) }),
  ].map((exchange) => withAnswerHeaders(exchange, text))
  const report: ConformanceReport = {
    ...violated,
    requirements,
    target: { baseUrl: `http://127.0.0.1:4010/${text}`, profile: 'full', capabilities: {} },
    observations: [{ id: 'OPEN-28', question: 'What?', answer: text, exchanges: ['x2'] }],
    faults: [{ scenario: 'v3/racing', message: `Error: ${text}\n  at ${text}` }],
    residue: [
      { kind: 'chat', name: text, id: text, why: text },
      { kind: 'document', name: text, id: text, why: text },
    ],
    residueUnseen: text,
    baseline: {
      file: 'known.yaml',
      known: [{ id: 'OAI-ERR-01', because: text, issue: text }],
      problems: [{ id: 'V3-HIST-01', kind: 'differs', message: `it fails with ${text}` }],
    },
  }
  return { report, exchanges: new Map(exchanges.map((exchange) => [exchange.id, exchange])) }
}

function withAnswerHeaders(exchange: Exchange, text: string): Exchange {
  const { response } = exchange
  if (response === null) return exchange
  const headers = [...response.headers, ['location', text], [text, text]] as const
  return { ...exchange, response: { ...response, headers: [...headers] } }
}

/** A report of a load run with the text in place of every text of a target. */
export function hostileLoad(text: string): LoadReport {
  const sketch = loadReportOf()
  const [transaction] = sketch.transactions
  const [finding] = sketch.integrity.findings
  if (transaction === undefined || finding === undefined) throw new Error('the sketch has both')
  const error = { count: 1, share: 0.01, firstIndex: 9, firstSecond: 1 }
  return loadReportOf({
    target: { baseUrl: `http://127.0.0.1:4010/${text}`, surfaces: ['openai'] },
    errors: [
      { kind: 'truncated', counter: 'droppedConnections', detail: text, ...error },
      { kind: 'shed', counter: 'tooManyRequests', detail: text, ...error },
    ],
    transactions: [{ ...transaction, name: text }, transaction],
    integrity: {
      ...sketch.integrity,
      findings: [{ ...finding, first: { ...finding.first, why: text, requestId: text } }],
    },
    slo: sketch.slo.map((slo) => ({ ...slo, message: text })),
    audits: sketch.audits.map((audit) => ({ ...audit, message: text })),
    generator: { ...sketch.generator, reasons: [text] },
    window: { ...sketch.window, steady: { verdict: 'trend', message: text } },
    notes: [text],
    faults: [`Error: ${text}\n  at ${text}`],
  })
}

/** The same of a capacity search. */
export function hostileCapacity(text: string): CapacityReport {
  const { probes, config } = capacityReportOf()
  return capacityReportOf({
    target: { baseUrl: `http://127.0.0.1:4010/${text}`, surfaces: ['v3'] },
    seed: text,
    config: { ...config, mixName: text },
    probes: probes.map((probe) => ({ ...probe, stopped: text })),
    policyLimit: {
      burst: { value: 20, interval: null },
      refill: { value: 40, interval: [39, 41] },
      ...{ accepted: 1, refused: 1, probe: 3 },
      headers: { 'retry-after': text },
      message: text,
    },
    notes: [text],
    faults: [text],
  })
}
